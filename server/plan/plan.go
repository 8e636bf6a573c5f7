package plan

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
)

// Limits of a plan.
const (
	MaxSteps   = 50
	MaxSets    = 100 // of a step
	MaxPurpose = 1000
	MaxSpan    = 31 * 24 * time.Hour // from the first start to the last end
	MaxCycle   = 24 * time.Hour      // the same of a repeating plan
)

// The lateness rule and what is done beforehand.
const (
	// Grace is how late a step may still fire after controllers were down.
	Grace = 2 * time.Minute
	// Ahead is how long before its start a step's claims are written.
	Ahead = 30 * time.Second
	// Horizon is how far ahead machines hold steps.
	Horizon = 6 * time.Hour
)

// State is where a plan stands in its life.
type State string

// The states.
const (
	Draft    State = "draft"    // saved, not approved: nothing happens
	Approved State = "approved" // steps fire
	Held     State = "held"     // no further step fires; what holds still ends
	Stopped  State = "stopped"  // everything was let go
	Done     State = "done"     // the last step ended
)

// Kind is what a step does.
type Kind string

// The kinds. Auto and Restore are terminal.
const (
	KindSet     Kind = "set"
	KindAuto    Kind = "auto"
	KindRestore Kind = "restore"
)

// Terminal reports whether a step of this kind needs no end.
func (k Kind) Terminal() bool { return k == KindAuto || k == KindRestore }

// Gap says what a repeating plan does on a day whose local time does not exist.
type Gap string

// Overlap says which of two instants a local time means that exists twice.
type Overlap string

// The choices.
const (
	GapSkip  Gap = "skip"  // not on that day
	GapAfter Gap = "after" // as long after the change as the time lies after its beginning

	Earlier Overlap = "earlier"
	Later   Overlap = "later"
)

// Plan is a plan as its author wrote it, and how it stands.
type Plan struct {
	ID       string
	Name     string
	Zone     string // IANA, e.g. Asia/Shanghai
	Owner    string // who decides
	Executor string // who is at the controls
	Approver string // who must approve; "" is anyone who may
	Purpose  string
	Repeat   string // cron on the zone's wall clock, five fields; "" is once
	Gap      Gap
	Overlap  Overlap
	Steps    []Step

	State      State
	Epoch      int64 // rises with every edit, hold and resume
	Version    int64 // ETag
	CreatedBy  string
	CreatedAt  time.Time
	UpdatedBy  string
	UpdatedAt  time.Time
	ApprovedBy string
	ApprovedAt time.Time
	// Glass tells that it was approved by breaking the glass, and by whose grant.
	Glass string
}

// Step is one instant of a plan and what happens from it on.
type Step struct {
	Name string
	Do   Kind

	// The start: At in the plan's zone, or Offset after the start of another step.
	// The first step of a repeating plan has neither.
	At      string // "2006-01-02 15:04:05", seconds may be left out
	Overlap Overlap
	After   string
	Offset  time.Duration

	// The end, exactly one of them, none for a terminal step.
	Until        string // a later step
	UntilAt      string
	UntilOverlap Overlap
	For          time.Duration

	Sets []Set
}

// Set is what a step sets at a place; every field that is not zero becomes a
// claim.
type Set struct {
	Scope       control.Scope
	Level       int
	Strategy    gear.Strategy
	AvailableRT time.Duration
	Timeout     time.Duration
	Target      time.Duration
	Budget      float64
	Template    string // name or id, with its pinned version
	Version     int
}

// Step finds a step by name.
func (p *Plan) Step(name string) (*Step, bool) {
	for i := range p.Steps {
		if p.Steps[i].Name == name {
			return &p.Steps[i], true
		}
	}
	return nil, false
}

// RunState is what became of a step in one occurrence.
type RunState string

// The states of a run. Armed is the only one that changes by itself.
const (
	Armed     RunState = "armed"     // its claims stand, with their start ahead
	Fired     RunState = "fired"     // it took effect
	Skipped   RunState = "skipped"   // an operator let it out
	Cancelled RunState = "cancelled" // stopped before it fired
	Missed    RunState = "missed"    // too late, and not staged
	Ended     RunState = "ended"     // stopped before its end
)

// Key identifies what happens at most once.
type Key struct{ Plan, Occurrence, Step string }

// Run is the record of a step in one occurrence.
type Run struct {
	Key
	Epoch   int64
	State   RunState
	Start   time.Time
	End     time.Time // zero for a terminal step
	FiredAt time.Time
	Staged  bool // at least one machine held it beforehand
	Reason  string
	Claims  []string // ids
	Updated time.Time
}

// Holds reports whether the run's claims are, or are about to be, in force.
func (r *Run) Holds(now time.Time) bool {
	return (r.State == Fired || r.State == Armed) && (r.End.IsZero() || now.Before(r.End))
}

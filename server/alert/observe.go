package alert

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/telemetry"
)

// Place is an app in an IDC.
type Place struct{ App, IDC string }

// SeriesKey is a point and scene of a place.
type SeriesKey struct{ Point, Scene string }

// Gears are the levels that a point's order leaves to its loops.
type Gears struct{ Min, Max, Level int }

// Observation is one look at everything that rules judge.
type Observation struct {
	At       time.Time
	Machines []telemetry.Machine
	// Build tells which build an instance runs; "" is not known.
	Build func(telemetry.Source) string
	// Gears tells what is ordered of a point; false where nothing is.
	Gears func(telemetry.Key) (Gears, bool)

	Agents []AgentState
	Groups []GroupState
	Missed []MissedStep
}

// AgentState is an agent that does not do as it should.
type AgentState struct {
	telemetry.Source
	Stale    bool
	Refused  bool
	Silence  time.Duration // since its last report
	Version  gear.Version  // refused
	Problems string        // of the refusal
}

// GroupState is a quota group whose agents are without the controller.
type GroupState struct {
	Name     string
	App, IDC string
	Fallback int // agents that answer by themselves
	Agents   int
	Trouble  string // why no base quota is decided; "" when one is
}

// MissedStep is a plan's step that was not fired in time.
type MissedStep struct {
	Plan, Step, Occurrence string
	App, IDC               string
	Reason                 string
}

// series is what a place's machines measured of one point and scene.
type series struct {
	key   SeriesKey
	gears Gears
	moves bool // its order leaves levels to loops

	count  int64   // requests in the window, of all machines
	bad    float64 // share of them
	lnLoad float64 // ln of mean load a request
	lnRT   float64 // median over machines of ln mean RT (µs)
	lnLvl  float64 // median over machines of ln mean level
	lnN    float64 // median over machines of ln requests
	each   []share // of machines with enough requests
}

// share is one machine's part of a series.
type share struct {
	machine int // index into place.machines
	n       int64
	lnRT    float64
	lnLvl   float64 // 0 where no level is read
	lnLoad  float64 // 0 where the app says nothing of it
	level   float64
	bad     float64
}

// cost is ln RT at level 1, up to a constant: what a request costs the machine
// rises when its RT does, and when the level that holds the RT falls.
func (s *share) cost() float64 { return s.lnRT - s.lnLvl }

// dearer is how much more of the cost than load explains: requests that bring more
// take longer, on any machine. What costs less is never explained away.
func dearer(cost, lnLoad float64) float64 { return cost - min(max(lnLoad, 0), max(cost, 0)) }

func (s *series) cost() float64 { return s.lnRT - s.lnLvl }

// view is a place at one instant.
type view struct {
	place    Place
	machines []machineView
	series   []series
	qps      float64
	cpu      float64 // median busy share of the machines' cores; 0 is not known
}

type machineView struct {
	instance, build string
	cpu             float64 // negative is not known
}

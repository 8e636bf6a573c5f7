package experiment

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
)

// State is where an experiment stands.
type State string

// The states.
const (
	Draft   State = "draft"
	Running State = "running"
	Ended   State = "ended"
)

// Place is the point whose requests are measured.
type Place struct{ App, Point string }

// Arm is one way to regulate, on a share of the traffic. The first arm of an
// experiment is the control that the others are compared with.
type Arm struct {
	Name string
	// Slices is the share of traffic, in slices of 10,000.
	Slices int
	// What is claimed; blank fields leave what holds anyway.
	Strategy    gear.Strategy
	Level       int
	AvailableRT time.Duration
}

// Experiment is a comparison of arms.
//
// INVARIANT: what is compared (Scope, Measure, Arms) never changes once it runs.
type Experiment struct {
	ID     string
	Name   string
	Reason string // what it is to find out
	// Scope is where the arms differ; its bucket is Any.
	Scope control.Scope
	// Measure is where value, RT and timeouts are read, in the scope's scene and IDC.
	Measure  Place
	Arms     []Arm
	Duration time.Duration // planned
	State    State

	StartedAt time.Time
	StartedBy string
	EndsAt    time.Time // planned
	EndedAt   time.Time
	EndedBy   string
	Ending    string // why it ended
	Armed     bool   // its claims were set

	CreatedBy string
	CreatedAt time.Time
	UpdatedAt time.Time
	Version   int64
}

// Origin marks the claims of an experiment.
const originPrefix = "experiment:"

// Origin is that of the experiment's claims.
func (x *Experiment) Origin() string { return originPrefix + x.ID }

// MeasureScope is where the measured requests are.
func (x *Experiment) MeasureScope() control.Scope {
	return control.Scope{Scene: x.Scope.Scene, IDC: x.Scope.IDC, App: x.Measure.App, Point: x.Measure.Point, Bucket: gear.Any}
}

// Planned is how long the experiment has to run, or ran at most.
func (x *Experiment) Planned() time.Duration {
	if !x.StartedAt.IsZero() {
		return x.EndsAt.Sub(x.StartedAt)
	}
	return x.Duration
}

// Role says which of an experiment's two places a figure is of.
type Role string

// The roles.
const (
	RoleMeasure Role = "measure" // where value is read
	RoleScope   Role = "scope"   // where the arms differ, if that is one other point
)

// Places gives the points that are recorded, by role.
func (x *Experiment) Places() map[Role]Place {
	out := map[Role]Place{RoleMeasure: x.Measure}
	at := Place{x.Scope.App, x.Scope.Point}
	if at.App != gear.Any && at.Point != gear.Any && at != x.Measure {
		out[RoleScope] = at
	}
	return out
}

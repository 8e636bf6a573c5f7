package alert

import (
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Kind is what is wrong. It is the name under which operators know a fault.
type Kind string

// The kinds, in the order in which they are shown.
const (
	BadMachine    Kind = "bad_machine"    // one machine is off from its peers
	BadRelease    Kind = "bad_release"    // a build does less with the same time, right after it came
	Capacity      Kind = "capacity"       // machines at their floor, gone, or slower than they were
	InputShift    Kind = "input_shift"    // requests bring another load than before
	InputSilent   Kind = "input_silent"   // requests stopped
	AgentRefused  Kind = "agent_refused"  // an agent refuses its orders
	AgentStale    Kind = "agent_stale"    // an agent is connected and says nothing
	PlanMissed    Kind = "plan_missed"    // a step was not fired in time
	QuotaFallback Kind = "quota_fallback" // agents answer without the controller's base quota
)

// Kinds lists every kind in the order in which they are shown.
func Kinds() []Kind {
	return []Kind{BadMachine, BadRelease, Capacity, InputShift, InputSilent, AgentRefused, AgentStale, PlanMissed, QuotaFallback}
}

// Severity is how urgent an alert is.
type Severity string

// The severities.
const (
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Scope is where something is wrong. "" does not apply; gear.Any is several.
type Scope struct {
	App, IDC     string
	Scene, Point string // the worst place
	Instance     string
	Object       string // build, plan/step or quota group
}

// Sighting is one look at which something was wrong.
type Sighting struct {
	Kind     Kind
	Scope    Scope
	Critical bool    // worse than the rule's severity says
	Value    float64 // what was seen, in the unit of the rule's threshold
	Limit    float64 // what it was held against
	Reason   string
	Places   []string // scene/point, worst first
}

// Fingerprint is what makes two sightings one alert. The worst point is not part
// of it: one fault that all points of an app feel is one alert.
func (s *Sighting) Fingerprint() string {
	return strings.Join([]string{string(s.Kind), s.Scope.App, s.Scope.IDC, s.Scope.Instance, s.Scope.Object}, "|")
}

// Alert is something that was wrong for long enough to tell people.
type Alert struct {
	ID          string
	Fingerprint string
	Kind        Kind
	Severity    Severity
	Scope       Scope
	Reason      string
	Value       float64
	Limit       float64
	Places      []string

	StartedAt  time.Time // first sighting
	FiredAt    time.Time
	ResolvedAt time.Time // zero while it stands
	Ending     string    // why it was resolved
	AckedBy    string
	AckedAt    time.Time
	Note       string    // of who acknowledged
	NotifiedAt time.Time // when deliveries were written; zero while silenced
	Version    int64
}

// Open reports whether the alert stands.
func (a *Alert) Open() bool { return a.ResolvedAt.IsZero() }

// Title names the alert in one line for people.
func (a *Alert) Title() string {
	where := strings.Trim(strings.Join([]string{a.Scope.App, a.Scope.IDC}, "/"), "/")
	for _, x := range []string{a.Scope.Point, a.Scope.Instance, a.Scope.Object} {
		if x != "" {
			where += " " + x
		}
	}
	return strings.ReplaceAll(string(a.Kind), "_", " ") + ": " + where
}

// Silence keeps matching alerts from being sent until its end. "" matches all.
type Silence struct {
	ID        string
	Kind      Kind
	Scope     Scope
	Reason    string
	Start     time.Time
	End       time.Time
	CreatedBy string
	CreatedAt time.Time
	Version   int64
}

// Covers reports whether the silence is in force and matches.
func (s *Silence) Covers(a *Alert, now time.Time) bool {
	if now.Before(s.Start) || !now.Before(s.End) || s.Kind != "" && s.Kind != a.Kind {
		return false
	}
	for _, x := range [][2]string{
		{s.Scope.App, a.Scope.App},
		{s.Scope.IDC, a.Scope.IDC},
		{s.Scope.Scene, a.Scope.Scene},
		{s.Scope.Point, a.Scope.Point},
		{s.Scope.Instance, a.Scope.Instance},
		{s.Scope.Object, a.Scope.Object},
	} {
		if x[0] != "" && x[0] != gear.Any && x[0] != x[1] {
			return false
		}
	}
	return true
}

// Filter selects alerts, newest first.
type Filter struct {
	Kind     Kind
	Open     bool // only those that stand
	App, IDC string
	Scene    string
	Point    string
	Search   string
	From, To time.Time
	Before   time.Time // cursor: fired before this instant, or at it with a lower id
	BeforeID string
	Limit    int
}

package alert

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Rule is how one kind is judged.
type Rule struct {
	Kind     Kind
	Enabled  bool
	Severity Severity
	// Threshold is how much is wrong: a share of what was before or of the peers
	// (0.25: a quarter more), or for agents, plans and quota how many. 0 where the
	// kind has none.
	Threshold float64
	For       time.Duration // it must be wrong for that long
	Clear     time.Duration // and right for that long to be resolved

	Version   int64 // ETag; 0 while the default stands
	UpdatedBy string
	UpdatedAt time.Time
}

// Threshold bounds.
const (
	minShare, maxShare = 0.05, 20
	minCount, maxCount = 1, 10000
	maxFor             = time.Hour
)

// Counted reports whether the threshold of a kind is a number of things.
func (k Kind) Counted() bool { return k == AgentRefused || k == AgentStale || k == QuotaFallback }

// Shared reports whether the threshold of a kind is a share.
func (k Kind) Shared() bool {
	return k == BadMachine || k == BadRelease || k == Capacity || k == InputShift
}

// Defaults gives the rules while nothing else was saved. The thresholds and times
// of the four kinds that the lab plays faults of were chosen on seeds up to
// lab.TuningSeeds; `allspark lab alerts` plays them on the ones after.
func Defaults() []Rule {
	const s = time.Second
	return []Rule{
		{Kind: BadMachine, Enabled: true, Severity: Warning, Threshold: 0.2, For: 15 * s, Clear: 60 * s},
		{Kind: BadRelease, Enabled: true, Severity: Critical, Threshold: 0.2, For: 10 * s, Clear: 60 * s},
		{Kind: Capacity, Enabled: true, Severity: Critical, Threshold: 0.2, For: 10 * s, Clear: 60 * s},
		{Kind: InputShift, Enabled: true, Severity: Warning, Threshold: 0.25, For: 10 * s, Clear: 60 * s},
		{Kind: InputSilent, Enabled: true, Severity: Critical, For: 8 * s, Clear: 30 * s},
		{Kind: AgentRefused, Enabled: true, Severity: Warning, Threshold: 1, For: 5 * s, Clear: 30 * s},
		{Kind: AgentStale, Enabled: true, Severity: Warning, Threshold: 1, For: 15 * s, Clear: 30 * s},
		{Kind: PlanMissed, Enabled: true, Severity: Critical, Clear: 10 * s},
		{Kind: QuotaFallback, Enabled: true, Severity: Critical, Threshold: 1, For: 3 * s, Clear: 30 * s},
	}
}

// Check names what is wrong with a rule.
func (r *Rule) Check() gear.Problems {
	var ps gear.Problems
	bad := func(path, code, format string, args ...any) {
		ps = append(ps, gear.Problem{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if r.Severity != Warning && r.Severity != Critical {
		bad("severity", gear.CodeEnum, "severity wants warning or critical, got %q", gear.Shown(string(r.Severity)))
	}
	switch {
	case r.Kind.Shared() && !(r.Threshold >= minShare && r.Threshold <= maxShare):
		bad("threshold", gear.CodeRange, "threshold wants a share of %v..%v, got %v", minShare, maxShare, r.Threshold)
	case r.Kind.Counted() && !(r.Threshold >= minCount && r.Threshold <= maxCount):
		bad("threshold", gear.CodeRange, "threshold wants a number of %v..%v, got %v", minCount, maxCount, r.Threshold)
	case !r.Kind.Shared() && !r.Kind.Counted() && r.Threshold != 0:
		bad("threshold", gear.CodeRange, "%s has no threshold", r.Kind)
	}
	if r.For < 0 || r.For > maxFor {
		bad("for", gear.CodeRange, "for wants 0s..%v, got %v", maxFor, r.For)
	}
	if r.Clear < time.Second || r.Clear > maxFor {
		bad("clear", gear.CodeRange, "clear wants 1s..%v, got %v", maxFor, r.Clear)
	}
	return ps
}

// Rules are all rules by kind.
type Rules map[Kind]Rule

// Merged gives the defaults with what was saved in their place.
func Merged(saved []Rule) Rules {
	out := Rules{}
	for _, r := range Defaults() {
		out[r.Kind] = r
	}
	for _, r := range saved {
		if _, known := out[r.Kind]; known {
			out[r.Kind] = r
		}
	}
	return out
}

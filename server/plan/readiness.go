package plan

import "fmt"

// Facts is what readiness looks at.
type Facts struct {
	State      State
	Approver   string // who must approve, "" for anyone
	Expected   int    // agents the plan concerns
	Connected  int
	Within     bool // the first step lies within the staging horizon
	Staged     int  // agents that hold every due step
	Refusals   []string
	Unpinned   []string // steps whose levels follow whatever version serves then
	StaleFor   string   // oldest RT profile, "" when fresh
	Conflicts  int
	FrozenBy   string // reason of a freeze over its hours
	Started    bool
	Missed     int
	Unrestored int // app x IDCs that still stand apart after the end
}

// Ready is one line of the readiness list.
type Ready struct {
	Name   string
	Level  string // ok, warn or fail
	Detail string
}

// Readiness judges the facts; a line that fails should keep a commander from
// going into the peak.
func Readiness(f Facts) []Ready {
	line := func(name string, fail, warn bool, format string, args ...any) Ready {
		r := Ready{Name: name, Level: "ok", Detail: fmt.Sprintf(format, args...)}
		if fail {
			r.Level = "fail"
		} else if warn {
			r.Level = "warn"
		}
		return r
	}
	out := []Ready{
		line("approval", f.State == Draft, f.State == Held || f.State == Stopped, "the plan is %s", f.State),
		line("agents", f.Expected == 0, f.Connected < f.Expected, "%d / %d agents are connected", f.Connected, f.Expected),
	}
	if f.Within {
		out = append(out, line("staged", f.Staged == 0 && f.Expected > 0, f.Staged < f.Expected, "%d / %d agents hold every due step", f.Staged, f.Expected))
	} else {
		out = append(out, line("staged", false, false, "steps are sent ahead %s before they start", Horizon))
	}
	refused := "every connected build accepts its templates"
	if len(f.Refusals) > 0 {
		refused = f.Refusals[0]
		if n := len(f.Refusals) - 1; n > 0 {
			refused += fmt.Sprintf(" (and %d more)", n)
		}
	}
	out = append(out, line("templates", len(f.Refusals) > 0, false, "%s", refused))
	pinned := "every level is pinned to a template's version"
	if len(f.Unpinned) > 0 {
		pinned = fmt.Sprintf("%d steps set levels of whatever version serves then: %s", len(f.Unpinned), f.Unpinned[0])
	}
	out = append(out, line("pins", false, len(f.Unpinned) > 0, "%s", pinned))
	fresh := "fresh, or none is used"
	if f.StaleFor != "" {
		fresh = "the oldest RT profile is " + f.StaleFor + " old"
	}
	out = append(out,
		line("profiles", false, f.StaleFor != "", "%s", fresh),
		line("conflicts", false, f.Conflicts > 0, "%d overlaps with other plans or manual claims", f.Conflicts))
	if f.FrozenBy != "" {
		out = append(out, line("freeze", false, true, "inside a freeze: %s", f.FrozenBy))
	}
	if f.Missed > 0 {
		out = append(out, line("missed", true, false, "%d steps were missed", f.Missed))
	}
	if f.Unrestored > 0 {
		out = append(out, line("restore", true, false, "%d app x IDCs are not restored", f.Unrestored))
	}
	return out
}

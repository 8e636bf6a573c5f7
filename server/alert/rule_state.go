package alert

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// judgeAgents makes one sighting of a place's agents that refuse, and one of
// those that are silent.
func judgeAgents(all []AgentState, rules Rules) (out []Sighting) {
	type tally struct {
		n     int
		first *AgentState
	}
	count := func(is func(*AgentState) bool) (order []Place, by map[Place]*tally) {
		by = map[Place]*tally{}
		for i := range all {
			a := &all[i]
			if !is(a) {
				continue
			}
			p := Place{a.App, a.IDC}
			if by[p] == nil {
				by[p] = &tally{first: a}
				order = append(order, p)
			}
			by[p].n++
		}
		return order, by
	}
	order, by := count(func(a *AgentState) bool { return a.Refused })
	for _, p := range order {
		t := by[p]
		if float64(t.n) < rules[AgentRefused].Threshold {
			continue
		}
		out = append(out, Sighting{
			Kind: AgentRefused, Scope: Scope{App: p.App, IDC: p.IDC}, Value: float64(t.n), Limit: rules[AgentRefused].Threshold, Places: []string{t.first.Instance},
			Reason: fmt.Sprintf("%d agents refuse their orders and keep the last good ones; %s refuses revision %d: %s", t.n, t.first.Instance, t.first.Version.Revision, t.first.Problems),
		})
	}
	order, by = count(func(a *AgentState) bool { return a.Stale })
	for _, p := range order {
		t := by[p]
		if float64(t.n) < rules[AgentStale].Threshold {
			continue
		}
		out = append(out, Sighting{
			Kind: AgentStale, Scope: Scope{App: p.App, IDC: p.IDC}, Value: float64(t.n), Limit: rules[AgentStale].Threshold, Places: []string{t.first.Instance},
			Reason: fmt.Sprintf("%d agents are connected and report nothing; %s for %s", t.n, t.first.Instance, t.first.Silence.Round(time.Second)),
		})
	}
	return out
}

func judgeGroups(all []GroupState, r Rule) (out []Sighting) {
	for _, g := range all {
		if g.Trouble == "" && float64(g.Fallback) < r.Threshold {
			continue
		}
		reason := fmt.Sprintf("%d of %d agents of quota group %s answer without the controller's base quota", g.Fallback, g.Agents, g.Name)
		if g.Trouble != "" {
			reason = fmt.Sprintf("quota group %s has no base quota and its agents fall back: %s", g.Name, g.Trouble)
		}
		out = append(out, Sighting{
			Kind: QuotaFallback, Scope: Scope{App: g.App, IDC: g.IDC, Object: g.Name}, Value: float64(g.Fallback), Limit: r.Threshold, Reason: reason,
		})
	}
	return out
}

func judgeMissed(all []MissedStep) (out []Sighting) {
	for _, x := range all {
		if x.App == "" {
			x.App = gear.Any
		}
		if x.IDC == "" {
			x.IDC = gear.Any
		}
		out = append(out, Sighting{
			Kind: PlanMissed, Scope: Scope{App: x.App, IDC: x.IDC, Object: x.Plan + "/" + x.Step + "@" + x.Occurrence},
			Reason: fmt.Sprintf("step %s of plan %s was missed: %s", x.Step, x.Plan, x.Reason),
		})
	}
	return out
}

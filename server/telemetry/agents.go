package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

// agent keeps the last reports of one agent, by when they came.
type agent struct {
	reports [recentSeconds]struct {
		r  *gear.Report
		at time.Time
	}
	next int
}

func (g *agent) heard() time.Time {
	return g.reports[(g.next+recentSeconds-1)%recentSeconds].at
}

// keep remembers a report, or refuses it when the agent sends too many.
func (a *appWindow) keep(src Source, r *gear.Report, now time.Time, l Limits) verdict {
	g := a.agents[src]
	if g == nil {
		if len(a.agents) >= l.Agents {
			return overflow
		}
		g = &agent{}
		a.agents[src] = g
	}
	n := min(l.ReportsPerSec, recentSeconds)
	if nth := &g.reports[(g.next+recentSeconds-n)%recentSeconds]; nth.r != nil && now.Sub(nth.at) < time.Second {
		return flood
	}
	g.reports[g.next].r, g.reports[g.next].at = r, now
	g.next = (g.next + 1) % recentSeconds
	return admitted
}

// AgentPoint is one agent's share of a series in its last ten seconds.
type AgentPoint struct {
	Source
	Recent  Rollup
	Held    gear.Version
	Rung    gear.Rung
	Outlier bool // its mean RT is far from the other agents'
}

// Agents gives the agents that reported the series in the last ten seconds, by
// instance. Silent ones are left out: their values are not current.
func (w *Windows) Agents(k Key, now time.Time) []AgentPoint {
	a := w.app(k.App, false)
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	out := append(a.sharesHere(k, now), a.sharesElsewhere(k, now)...)
	slices.SortFunc(out, func(a, b AgentPoint) int { return cmp.Compare(a.Instance, b.Instance) })
	markOutliers(out)
	return out
}

func (a *appWindow) sharesHere(k Key, now time.Time) (out []AgentPoint) {
	for src, g := range a.agents {
		if src.IDC != k.IDC || now.Sub(g.heard()) > StaleAfter {
			continue
		}
		if p, ok := g.share(k, now, &a.scratch); ok {
			p.Source = src
			out = append(out, p)
		}
	}
	return out
}

func (g *agent) share(k Key, now time.Time, scratch *sketch.Sum) (out AgentPoint, ok bool) {
	var t tally
	var covered time.Duration
	var newest time.Time
	scratch.Reset()
	for i := range g.reports {
		x := &g.reports[i]
		if x.r == nil || now.Sub(x.at) > recentSeconds*time.Second {
			continue
		}
		if !x.at.Before(newest) {
			newest, out.Held, out.Rung = x.at, x.r.Held, x.r.Rung
		}
		covered += x.r.Window
		for j := range x.r.Points {
			p := &x.r.Points[j]
			if p.Scene != k.Scene || p.Point != k.Point || !sane(p) {
				continue
			}
			ok = true
			t.report(p, x.r.CPU)
			_ = scratch.Merge(p.RT) // a malformed one was counted when its second closed
		}
	}
	if ok {
		t.agents = 1
		out.Recent = t.rollup(newest, max(covered, time.Second), scratch)
	}
	return out, ok
}

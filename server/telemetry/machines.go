package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Share is what one agent measured of one series in the last ten seconds, without
// percentiles: those of a machine would cost a sketch each.
type Share struct {
	Scene, Point string
	Count        int64
	Bad          int64 // timed out, failed or shed
	RTSum        time.Duration
	LevelSum     int64
	Load         float64
	Blocks       [Blocks]Block // newest first
}

// Blocks is into how many pieces of equal length the ten seconds are cut: their
// median is not moved by a burst that fills one or two, as the mean of all is.
const Blocks = 5

const blockLength = recentSeconds * time.Second / Blocks

// Block is two seconds of a share.
type Block struct {
	Count, LevelSum int64
	RTSum           time.Duration
	Load            float64
}

// Machine is one agent's last ten seconds at all of its points.
type Machine struct {
	Source
	Heard  time.Time
	CPU    float64 // mean share of its cores, negative when unknown
	Shares []Share // by point and scene
}

// machineReports are one agent's reports, to be added up outside the lock: a
// report does not change once it was taken in.
type machineReports struct {
	Source
	heard   time.Time
	reports [recentSeconds]*gear.Report
	blocks  [recentSeconds]int // in which each came
}

// Machines gives what every agent that is not silent measured in the ten seconds
// up to now, by app, IDC and instance. It holds an app's lock only while it
// copies pointers, so it may look at thousands of agents beside their reports.
func (w *Windows) Machines(now time.Time) []Machine {
	var all []machineReports
	for _, a := range w.all() {
		a.mu.Lock()
		for src, g := range a.agents {
			x := machineReports{Source: src, heard: g.heard()}
			if now.Sub(x.heard) > StaleAfter {
				continue
			}
			for i := range g.reports {
				if age := now.Sub(g.reports[i].at); age <= recentSeconds*time.Second {
					x.reports[i], x.blocks[i] = g.reports[i].r, max(0, min(int(age/blockLength), Blocks-1))
				}
			}
			all = append(all, x)
		}
		a.mu.Unlock()
	}
	out := make([]Machine, 0, len(all))
	for i := range all {
		out = append(out, all[i].sum())
	}
	slices.SortFunc(out, func(a, b Machine) int {
		return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.IDC, b.IDC), cmp.Compare(a.Instance, b.Instance))
	})
	return out
}

func (x *machineReports) sum() Machine {
	m := Machine{Source: x.Source, Heard: x.heard, CPU: -1}
	cpu, n := 0.0, 0
	for k, r := range x.reports {
		if r == nil {
			continue
		}
		if r.CPU >= 0 && r.CPU <= 1 {
			cpu, n = cpu+r.CPU, n+1
		}
		for i := range r.Points {
			if p := &r.Points[i]; sane(p) {
				m.add(p, x.blocks[k])
			}
		}
	}
	if n > 0 {
		m.CPU = cpu / float64(n)
	}
	slices.SortFunc(m.Shares, func(a, b Share) int { return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Scene, b.Scene)) })
	return m
}

// add finds the share by walking: an agent has a handful of points and scenes.
func (m *Machine) add(p *gear.PointReport, block int) {
	at := slices.IndexFunc(m.Shares, func(s Share) bool { return s.Point == p.Point && s.Scene == p.Scene })
	if at < 0 {
		at = len(m.Shares)
		m.Shares = append(m.Shares, Share{Scene: p.Scene, Point: p.Point})
	}
	s := &m.Shares[at]
	s.Count += p.Count
	s.Bad += p.Timeouts + p.Errors + p.Shed
	s.RTSum += p.RTSum
	s.LevelSum += p.LevelSum
	s.Load += p.Load
	b := &s.Blocks[block]
	b.Count, b.LevelSum, b.RTSum, b.Load = b.Count+p.Count, b.LevelSum+p.LevelSum, b.RTSum+p.RTSum, b.Load+p.Load
}

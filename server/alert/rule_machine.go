package alert

import (
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	// leastPeers is the smallest crew of which one can stand out: of two nobody
	// knows which one is wrong.
	leastPeers = 3
	// peerWidths of the peers' own spread around their median a machine must
	// exceed besides the threshold.
	peerWidths = 6
	// aloneN is how many requests a series needs to accuse a machine alone.
	aloneN = 60
	// badShare more of its requests lost than at its peers makes a machine bad,
	// however fast it fails.
	badShare = 0.1
)

// deviation is how far a machine is from its peers.
type deviation struct {
	machine   int
	cost      float64 // mean over series, by requests
	bad       float64
	worst     SeriesKey
	worstCost float64
	worstBad  float64
	places    []string
	n         float64
}

// deviations compares each machine with the median of those that run the same
// build, where three of them do: a canary's machines are off for a known reason.
func deviations(v *view) []deviation {
	peers := map[string]int{}
	for i := range v.machines {
		peers[v.machines[i].build]++
	}
	out := make([]deviation, len(v.machines))
	for i := range out {
		out[i].machine = i
	}
	for _, s := range v.own() {
		if len(s.each) < leastPeers {
			continue
		}
		for j := range s.each {
			x := &s.each[j]
			build := v.machines[x.machine].build
			if peers[build] < leastPeers {
				continue
			}
			var costs, bads, loads []float64
			for k := range s.each {
				if v.machines[s.each[k].machine].build == build {
					costs, bads, loads = append(costs, s.each[k].cost()), append(bads, s.each[k].bad), append(loads, s.each[k].lnLoad)
				}
			}
			if len(costs) < leastPeers {
				continue
			}
			d, n := &out[x.machine], float64(x.n)
			cost, bad := dearer(x.cost()-median(costs), x.lnLoad-median(loads)), x.bad-median(bads)
			d.cost, d.bad, d.n = d.cost+n*cost, d.bad+n*bad, d.n+n
			if d.places == nil || x.n >= aloneN && max(cost, bad) > max(d.worstCost, d.worstBad) {
				d.worst, d.worstCost, d.worstBad = s.key, cost, bad
			}
			d.places = append(d.places, s.key.Point+"/"+s.key.Scene)
		}
	}
	for i := range out {
		if d := &out[i]; d.n > 0 {
			d.cost, d.bad = d.cost/d.n, d.bad/d.n
		}
	}
	return out
}

// judgeMachines finds the machines that are off. When a third of them or more
// are, they are no exception but two populations, and that is not said here.
func judgeMachines(v *view, m *memory, r Rule, now time.Time) (out []Sighting) {
	all := deviations(v)
	var costs []float64
	for i := range all {
		if all[i].n > 0 {
			costs = append(costs, all[i].cost)
		}
	}
	if len(costs) < leastPeers {
		return nil
	}
	limit := max(math.Log1p(r.Threshold), peerWidths*spread(costs, median(costs)))
	for i := range all {
		d := &all[i]
		// A point may be broken alone: its own deviation counts when it is twice the
		// limit, as one series is noisier than all of them.
		slow := d.cost > limit || d.worstCost > 2*limit && d.cost > limit/4
		if d.n == 0 || !slow && d.bad <= badShare {
			continue
		}
		x := &v.machines[d.machine]
		if m.release != nil && m.release.covers(x.build, now) {
			continue
		}
		if !slow {
			out = append(out, Sighting{
				Kind: BadMachine, Scope: machineScope(v, x, d), Value: d.bad, Limit: badShare, Places: d.places,
				Reason: fmt.Sprintf("%s loses %.0f %% of its requests, %.0f %% more than its %d peers", x.instance, 100*(d.bad+baseBad(v)), 100*d.bad, len(costs)-1),
			})
			continue
		}
		worst := max(d.cost, d.worstCost)
		out = append(out, Sighting{
			Kind: BadMachine, Scope: machineScope(v, x, d), Value: math.Expm1(worst), Limit: math.Expm1(limit), Places: d.places,
			Reason: fmt.Sprintf("%s needs %d %% more for the same work than its %d peers, most at %s", x.instance, percent(worst), len(costs)-1, d.worst.Point),
		})
	}
	if 3*len(out) > len(costs) {
		return nil
	}
	return out
}

func machineScope(v *view, x *machineView, d *deviation) Scope {
	return Scope{App: v.place.App, IDC: v.place.IDC, Scene: d.worst.Scene, Point: d.worst.Point, Instance: x.instance}
}

func baseBad(v *view) float64 {
	var bads []float64
	for i := range v.series {
		bads = append(bads, medianOf(v.series[i].each, func(x *share) float64 { return x.bad }))
	}
	return median(slices.Clip(bads))
}

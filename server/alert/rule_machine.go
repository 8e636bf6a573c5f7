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
	proof     proof // its cost is the mean over series, by requests
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
	own := v.own()
	used := usages(v, own)
	out := make([]deviation, len(v.machines))
	for build, crew := range v.crews() {
		if len(crew) < leastPeers {
			continue
		}
		for _, s := range own {
			deviate(v, s, build, out)
		}
		var cpus []float64
		var peers []usage
		for _, i := range crew {
			if v.machines[i].cpu >= 0 {
				cpus = append(cpus, v.machines[i].cpu)
			}
			peers = append(peers, used[i])
		}
		mid, was := usual(peers), median(cpus)
		for _, i := range crew {
			if !math.IsNaN(used[i].spent) {
				p := &out[i].proof
				p.cpu, p.spent, p.each, p.busy, p.was = true, used[i].spent-mid.spent, used[i].each-mid.each, v.machines[i].cpu, was
			}
		}
	}
	for i := range out {
		d := &out[i]
		d.machine = i
		if d.n > 0 {
			d.proof.cost, d.proof.slow, d.bad = d.proof.cost/d.n, d.proof.slow/d.n, d.bad/d.n
		}
	}
	return out
}

// crews gives the machines by build.
func (v *view) crews() map[string][]int {
	out := map[string][]int{}
	for i := range v.machines {
		out[v.machines[i].build] = append(out[v.machines[i].build], i)
	}
	return out
}

// deviate adds what one series tells of the machines of a build.
func deviate(v *view, s *series, build string, out []deviation) {
	var costs, times, bads, loads []float64
	for k := range s.each {
		if x := &s.each[k]; v.machines[x.machine].build == build {
			costs, times, bads, loads = append(costs, x.cost()), append(times, x.lnRT), append(bads, x.bad), append(loads, x.lnLoad)
		}
	}
	if len(costs) < leastPeers {
		return
	}
	midCost, midTime, midBad, midLoad := median(costs), median(times), median(bads), median(loads)
	for k := range s.each {
		x := &s.each[k]
		if v.machines[x.machine].build != build {
			continue
		}
		d, n := &out[x.machine], float64(x.n)
		cost, bad := dearer(x.cost()-midCost, x.lnLoad-midLoad), x.bad-midBad
		d.proof.cost, d.proof.slow, d.bad, d.n = d.proof.cost+n*cost, d.proof.slow+n*(x.lnRT-midTime), d.bad+n*bad, d.n+n
		if d.places == nil || x.n >= aloneN && max(cost, bad) > max(d.worstCost, d.worstBad) {
			d.worst, d.worstCost, d.worstBad = s.key, cost, bad
		}
		d.places = append(d.places, s.key.Point+"/"+s.key.Scene)
	}
}

// spreads gives how far machines are from each other, by time and by CPU.
func spreads(all []deviation) (cost, spent float64, n int) {
	var costs, spents []float64
	for i := range all {
		if d := &all[i]; d.n > 0 {
			costs = append(costs, d.proof.cost)
			if d.proof.cpu {
				spents = append(spents, d.proof.spent)
			}
		}
	}
	return spread(costs, median(costs)), spread(spents, median(spents)), len(costs)
}

// judgeMachines finds the machines that are off. When a third of them or more
// are, they are no exception but two populations, and that is not said here.
func judgeMachines(v *view, m *memory, all []deviation, r Rule, now time.Time) (out []Sighting) {
	costs, spents, peers := spreads(all)
	if peers < leastPeers {
		return nil
	}
	// Six machines say little of how far they are from each other at one instant:
	// what they did in the last minutes says it.
	if usual, _, ok := m.apart[0].usual(); ok {
		costs = usual
	}
	if usual, _, ok := m.apart[1].usual(); ok {
		spents = usual
	}
	l := limits{least: math.Log1p(r.Threshold), cost: peerWidths * costs, spent: peerWidths * spents}
	limit := max(l.least, l.cost)
	for i := range all {
		d := &all[i]
		x := &v.machines[d.machine]
		by, slow := d.proof.holds(l, false)
		if !slow {
			// A point may be broken alone: its own deviation counts when it is twice the
			// limit, as one series is noisier than all of them.
			alone := d.worstCost - d.proof.waits()
			by, slow = alone, alone > 2*limit && d.proof.cost-d.proof.waits() > limit/4
		}
		if d.n == 0 || !slow && d.bad <= badShare {
			continue
		}
		if m.release != nil && m.release.covers(x.build, now) {
			continue
		}
		if !slow {
			out = append(out, Sighting{
				Kind: BadMachine, Scope: machineScope(v, x, d), Value: d.bad, Limit: badShare, Places: d.places,
				Reason: fmt.Sprintf("%s loses %.0f %% of its requests, %.0f %% more than its %d peers", x.instance, 100*(d.bad+baseBad(v)), 100*d.bad, peers-1),
			})
			continue
		}
		out = append(out, Sighting{
			Kind: BadMachine, Scope: machineScope(v, x, d), Value: math.Expm1(by), Limit: r.Threshold, Places: d.places,
			Reason: fmt.Sprintf("%s needs %d %% more for the same work than its %d peers, most at %s", x.instance, percent(by), peers-1, d.worst.Point),
		})
	}
	if 3*len(out) > peers {
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

package alert

import (
	"fmt"
	"math"
	"time"
)

const (
	// gone is the share of the machines that must be missing to be called so.
	gone = 0.3
	// strained is how much dearer the rest has become, or how busy it is, when
	// machines are missing and it matters.
	strained, busy = 0.1, 0.85
	// grown is how much more traffic explains that requests cost more.
	grown = 0.15
	// costWidths is as peerWidths, of the series' own movement in the last minutes.
	costWidths = 6
	// quicker is how much less time requests take when less was asked of them. What
	// does not shrink with the level then is a greater share of it; slower machines
	// never answer sooner.
	quicker = -0.1
	// floorShare of the range above the lowest level still counts as it: crowd
	// loops hold out 1 % of the requests at the top.
	floorShare, floorLevels = 0.03, 0.5
)

// judgeFloor finds points at which every machine runs at the lowest level that
// its order allows, though the order would allow more: nothing is left to give.
func judgeFloor(v *view) *Sighting {
	var out *Sighting
	var places []string
	for i := range v.series {
		s := &v.series[i]
		if !s.moves || s.gears.Level <= s.gears.Min || len(s.each) == 0 {
			continue
		}
		top := float64(s.gears.Min) + max(floorLevels, floorShare*float64(s.gears.Max-s.gears.Min))
		at := 0
		for j := range s.each {
			if x := &s.each[j]; x.level > 0 && x.level <= top {
				at++
			}
		}
		if at < len(s.each) {
			continue
		}
		places = append(places, s.key.Point+"/"+s.key.Scene)
		if out == nil {
			out = &Sighting{
				Kind: Capacity, Critical: true, Scope: Scope{App: v.place.App, IDC: v.place.IDC, Scene: s.key.Scene, Point: s.key.Point},
				Value: math.Exp(s.lnLvl), Limit: float64(s.gears.Min),
				Reason: fmt.Sprintf("all %d machines are at the lowest level of %s (%d of %d): nothing is left to turn down", len(s.each), s.key.Point, s.gears.Min, s.gears.Max),
			}
		}
	}
	if out != nil {
		out.Places = places
	}
	return out
}

// judgeGone finds machines missing where the rest feels it.
func judgeGone(v *view, m *memory) *Sighting {
	had, _, _ := m.crew.usual()
	have := float64(len(v.machines))
	if had < 2 || had-have < max(1, gone*had) {
		return nil
	}
	feels := v.cpu >= busy
	worst := SeriesKey{}
	for i := range v.series {
		c := m.change(&v.series[i])
		if c.known && (c.cost > strained || c.bad > badShare) {
			feels, worst = true, v.series[i].key
		}
	}
	if !feels {
		return nil
	}
	return &Sighting{
		Kind: Capacity, Scope: Scope{App: v.place.App, IDC: v.place.IDC, Scene: worst.Scene, Point: worst.Point}, Value: 1 - have/had, Limit: gone,
		Reason: fmt.Sprintf("%.0f of %.0f machines stopped reporting, and the others feel it", had-have, had),
	}
}

// judgeCost finds a place whose machines all need more for the same work though
// neither traffic nor load nor build has changed: they have become slower.
func judgeCost(v *view, m *memory, in flows, r Rule, now time.Time) *Sighting {
	held := m.doubts.held("all", now)
	if !held && in.grew(v) > grown {
		return nil
	}
	var out *Sighting
	var places []string
	p, width := m.proof(v)
	for i := range v.series {
		s := &v.series[i]
		c := m.change(s)
		if !c.known || s.lnLvl == 0 && !s.moves { // nothing is turned here: RT is another's
			continue
		}
		l := limits{least: math.Log1p(r.Threshold), cost: costWidths * c.base.costOff, spent: costWidths * width}
		p.cost, p.slow = c.cost, c.lnRT
		by, dear := p.holds(l, held)
		if !dear || !held && c.lnRT < quicker {
			continue
		}
		places = append(places, s.key.Point+"/"+s.key.Scene)
		if value := math.Expm1(by); out == nil || value > out.Value {
			out = &Sighting{
				Kind: Capacity, Scope: Scope{App: v.place.App, IDC: v.place.IDC, Scene: s.key.Scene, Point: s.key.Point}, Value: value, Limit: r.Threshold,
				Reason: fmt.Sprintf("all %d machines need %d %% more for the same work at %s than some minutes ago, at the same traffic%s", len(v.machines), percent(by), s.key.Point, levels(s, c.base)),
			}
		}
	}
	if out != nil {
		out.Places = places
		m.doubts["all"] = now
	}
	return out
}

package alert

import (
	"fmt"
	"math"
	"time"
)

const (
	// watchFor is how long after a build came what happens is its doing.
	watchFor = 10 * time.Minute
	// settle is how long a build's machines are given to start; in it they are not
	// called bad machines either.
	settle = 3 * time.Second
	// releaseWidths is as peerWidths, of the series' own movement before.
	releaseWidths = 5
	// steady is how much traffic may differ for times before and after to be compared.
	steady = 0.2
	// steadyCPU is as steady where CPU must agree, which traffic hardly moves.
	steadyCPU = 0.7
)

// release is a build that is new at a place.
type release struct {
	build  string
	at     time.Time
	before map[SeriesKey]base
	lnCPU  float64 // before; 0 is not known
}

// covers reports whether a machine of that build is judged as part of the release.
func (r *release) covers(build string, now time.Time) bool {
	return build == r.build && now.Sub(r.at) < watchFor
}

// noteBuilds finds out whether a build has come. What runs when a place is first
// looked at is not new.
func (m *memory) noteBuilds(v *view, now time.Time) {
	first := len(m.builds) == 0
	for i := range v.machines {
		b := v.machines[i].build
		if b == "" {
			continue
		}
		if _, known := m.builds[b]; !known && !first {
			m.release = &release{build: b, at: now, before: map[SeriesKey]base{}}
			for k, t := range m.tracks {
				m.release.before[k] = t.base
			}
			m.release.lnCPU, _, _ = m.lnCPU.usual()
		}
		m.builds[b] = now
	}
	for b, at := range m.builds { // a build that went may come again: rolled back is new, too
		if now.Sub(at) > watchFor {
			delete(m.builds, b)
		}
	}
	if m.release != nil && now.Sub(m.release.at) >= watchFor {
		m.release = nil
	}
}

// judgeRelease compares the machines of a new build with those of the old one
// that are still there, else with the time before it.
func judgeRelease(v *view, m *memory, r Rule, now time.Time) *Sighting {
	rel := m.release
	if rel == nil || now.Sub(rel.at) < settle {
		return nil
	}
	var worst *Sighting
	var places []string
	own := v.own()
	beside, since := rel.beside(v, own), rel.since(v, own)
	for _, s := range own {
		var fresh, old, freshBad, oldBad, freshLoad, oldLoad, freshRT, oldRT []float64
		for j := range s.each {
			x := &s.each[j]
			if v.machines[x.machine].build == rel.build {
				fresh, freshBad, freshLoad = append(fresh, x.cost()), append(freshBad, x.bad), append(freshLoad, x.lnLoad)
				freshRT = append(freshRT, x.lnRT)
			} else {
				old, oldBad, oldLoad = append(old, x.cost()), append(oldBad, x.bad), append(oldLoad, x.lnLoad)
				oldRT = append(oldRT, x.lnRT)
			}
		}
		b := rel.before[s.key]
		if len(fresh) == 0 {
			continue
		}
		p, bad, than, alone := beside, 0.0, "the build before", true
		switch {
		case len(old) > 0:
			p.slow = median(freshRT) - median(oldRT)
			p.cost, bad = dearer(median(fresh)-median(old), median(freshLoad)-median(oldLoad)), median(freshBad)-median(oldBad)
		case b.known && math.Abs(s.lnLoad-b.lnLoad) < steady:
			d := math.Abs(math.Log((float64(s.count)/window + 0.01) / (b.qps + 0.01)))
			if d >= steady && (d >= steadyCPU || !since.cpu) {
				continue
			}
			p, than, alone = since, "before it came", d < steady
			if alone {
				bad = median(freshBad) - b.bad
			}
			p.slow = median(freshRT) - b.lnRT
			p.cost = dearer(median(fresh)-b.cost, s.lnLoad-b.lnLoad)
		default:
			continue
		}
		l := limits{least: math.Log1p(r.Threshold), cost: releaseWidths * b.costOff, agree: !alone}
		by, dear := p.holds(l, m.doubts.held("build "+rel.build, now))
		if !dear && bad <= badShare {
			continue
		}
		places = append(places, s.key.Point+"/"+s.key.Scene)
		x := Sighting{
			Kind: BadRelease, Scope: Scope{App: v.place.App, IDC: v.place.IDC, Scene: s.key.Scene, Point: s.key.Point, Object: rel.build},
			Value: math.Expm1(by), Limit: r.Threshold,
			Reason: fmt.Sprintf("build %s needs %d %% more for the same work at %s than %s%s", rel.build, percent(by), s.key.Point, than, levels(s, b)),
		}
		if !dear {
			x.Value, x.Limit = bad, badShare
			x.Reason = fmt.Sprintf("build %s loses %.0f %% more of its requests at %s than %s", rel.build, 100*bad, s.key.Point, than)
		}
		if worst == nil || x.Value > worst.Value {
			worst = &x
		}
	}
	if worst != nil {
		worst.Places = places
		m.doubts["build "+rel.build] = now
	}
	return worst
}

// beside compares the CPU of the build's machines with the others'.
func (r *release) beside(v *view, own []*series) proof {
	var used [2][]usage
	var busy [2][]float64
	for i, x := range usages(v, own) {
		k := 0
		if v.machines[i].build == r.build {
			k = 1
		}
		if !math.IsNaN(x.spent) {
			used[k], busy[k] = append(used[k], x), append(busy[k], v.machines[i].cpu)
		}
	}
	if len(used[0]) == 0 || len(used[1]) == 0 {
		return proof{}
	}
	before, after := usual(used[0]), usual(used[1])
	return proof{cpu: true, spent: after.spent - before.spent, each: after.each - before.each, busy: median(busy[1]), was: median(busy[0])}
}

// since compares the place's CPU with the time before the build came.
func (r *release) since(v *view, own []*series) proof {
	if r.lnCPU == 0 || v.cpu <= 0 {
		return proof{}
	}
	was := func(k SeriesKey) base { return r.before[k] }
	u := usageSince(v, own, was, r.lnCPU)
	return proof{cpu: true, spent: u.spent, each: u.each, busy: v.cpu, was: math.Exp(r.lnCPU)}
}

// levels tells what became of the level, where it fell.
func levels(s *series, b base) string {
	if d := s.lnLvl - b.lnLvl; b.known && d < -0.05 {
		return fmt.Sprintf("; its level fell by %d %% to %.1f", less(d), math.Exp(s.lnLvl))
	}
	return ""
}

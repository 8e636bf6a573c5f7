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
)

// release is a build that is new at a place.
type release struct {
	build  string
	at     time.Time
	before map[SeriesKey]base
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
	for _, s := range v.own() {
		var fresh, old, freshBad, oldBad, freshLoad, oldLoad []float64
		for j := range s.each {
			x := &s.each[j]
			if v.machines[x.machine].build == rel.build {
				fresh, freshBad, freshLoad = append(fresh, x.cost()), append(freshBad, x.bad), append(freshLoad, x.lnLoad)
			} else {
				old, oldBad, oldLoad = append(old, x.cost()), append(oldBad, x.bad), append(oldLoad, x.lnLoad)
			}
		}
		b := rel.before[s.key]
		if len(fresh) == 0 {
			continue
		}
		cost, bad, than := 0.0, 0.0, "the build before"
		switch {
		case len(old) > 0:
			cost, bad = dearer(median(fresh)-median(old), median(freshLoad)-median(oldLoad)), median(freshBad)-median(oldBad)
		case b.known && math.Abs(math.Log((float64(s.count)/window+0.01)/(b.qps+0.01))) < steady && math.Abs(s.lnLoad-b.lnLoad) < steady:
			cost, bad, than = dearer(median(fresh)-b.cost, s.lnLoad-b.lnLoad), median(freshBad)-b.bad, "before it came"
		default:
			continue
		}
		limit := max(math.Log1p(r.Threshold), releaseWidths*b.costOff)
		if cost <= limit && bad <= badShare {
			continue
		}
		places = append(places, s.key.Point+"/"+s.key.Scene)
		x := Sighting{
			Kind: BadRelease, Scope: Scope{App: v.place.App, IDC: v.place.IDC, Scene: s.key.Scene, Point: s.key.Point, Object: rel.build},
			Value: math.Expm1(cost), Limit: math.Expm1(limit),
			Reason: fmt.Sprintf("build %s needs %d %% more for the same work at %s than %s%s", rel.build, percent(cost), s.key.Point, than, levels(s, b)),
		}
		if cost <= limit {
			x.Value, x.Limit = bad, badShare
			x.Reason = fmt.Sprintf("build %s loses %.0f %% more of its requests at %s than %s", rel.build, 100*bad, s.key.Point, than)
		}
		if worst == nil || x.Value > worst.Value {
			worst = &x
		}
	}
	if worst != nil {
		worst.Places = places
	}
	return worst
}

// levels tells what became of the level, where it fell.
func levels(s *series, b base) string {
	if d := s.lnLvl - b.lnLvl; b.known && d < -0.05 {
		return fmt.Sprintf("; its level fell by %d %% to %.1f", less(d), math.Exp(s.lnLvl))
	}
	return ""
}

package alert

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

const (
	// loadWidths is as peerWidths, of the load's own movement in the last minutes.
	loadWidths = 6
	// shiftN is how many requests in ten seconds a mean load takes.
	shiftN = 100
	// lost is how much less traffic there may be than is sent: of an app in trouble
	// above, only the light requests, or only the heavy ones, come through.
	lost = -0.15
	// quiet is the traffic, in requests a second, of which silence is worth a word.
	quiet = 1.0
)

// shift is a series whose requests bring another load than before.
type shift struct {
	app  string
	key  SeriesKey
	by   float64 // of ln load
	over float64 // limit
}

func shifts(v *view, m *memory, in flows, r Rule) (out []shift) {
	for i := range v.series {
		s := &v.series[i]
		c := m.change(s)
		if !c.known || s.count < shiftN || in.behind(s, &c) < lost {
			continue
		}
		if limit := max(math.Log1p(r.Threshold), loadWidths*c.base.loadWidth); math.Abs(c.lnLoad) > limit {
			out = append(out, shift{v.place.App, s.key, c.lnLoad, limit})
		}
	}
	return out
}

// judgeInput makes one sighting of an IDC: what enters it runs through all of its
// apps, and each of them sees the same.
func judgeInput(idc string, all []shift) *Sighting {
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b shift) int { return cmp.Compare(math.Abs(b.by), math.Abs(a.by)) })
	worst := all[0]
	app := worst.app
	var places []string
	for _, x := range all {
		if x.app != app {
			app = gear.Any
		}
		places = append(places, x.app+" "+x.key.Point+"/"+x.key.Scene)
	}
	way, by := "more", percent(worst.by)
	if worst.by < 0 {
		way, by = "less", less(worst.by)
	}
	return &Sighting{
		Kind: InputShift, Scope: Scope{App: app, IDC: idc, Scene: worst.key.Scene, Point: worst.key.Point}, Places: places,
		Value: math.Expm1(math.Abs(worst.by)), Limit: math.Expm1(worst.over),
		Reason: fmt.Sprintf("requests bring %d %% %s load than some minutes ago at %s of %s, and at %d places in all", by, way, worst.key.Point, worst.app, len(all)),
	}
}

// judgeSilent finds series whose requests stopped.
func judgeSilent(place Place, v *view, m *memory, in flows) *Sighting {
	var silent []SeriesKey
	was := 0.0
	for k, t := range m.tracks {
		if !t.base.known || t.base.qps < quiet || in.starved(k.Scene) {
			continue
		}
		now := int64(0)
		if v != nil {
			for i := range v.series {
				if v.series[i].key == k {
					now = v.series[i].count
				}
			}
		}
		if now == 0 {
			silent, was = append(silent, k), max(was, t.base.qps)
		}
	}
	if len(silent) == 0 {
		return nil
	}
	slices.SortFunc(silent, func(a, b SeriesKey) int { return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Scene, b.Scene)) })
	s := &Sighting{
		Kind: InputSilent, Scope: Scope{App: place.App, IDC: place.IDC, Scene: silent[0].Scene, Point: silent[0].Point}, Value: was,
		Reason: fmt.Sprintf("no request for %s of scene %s, where there were %.0f a second", silent[0].Point, silent[0].Scene, was),
	}
	if v == nil {
		s.Critical, s.Reason = true, fmt.Sprintf("no machine of %s in %s reports; there were %.0f requests a second", place.App, place.IDC, was)
	}
	for _, k := range silent {
		s.Places = append(s.Places, k.Point+"/"+k.Scene)
	}
	return s
}

// silentPlace ages a place without machines.
func (m *memory) silentPlace(now time.Time) (forget bool) { return now.Sub(m.seen) > forgetPlace }

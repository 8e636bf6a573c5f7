package alert

import "math"

// flow is what became of a scene's requests on their way through an IDC.
type flow struct {
	most float64 // requests a second there were where there are most of them
	grew float64 // ln of how many more there are
	rose float64 // as grew, within the minutes that are remembered
	lost bool    // more of them are lost on the way than before
}

// flows is one IDC's, by scene.
type flows map[string]*flow

// flowShare of a scene's requests a series needs to tell how many come: less
// traffic grows and shrinks by chance.
const flowShare = 0.5

// regimes is how much the traffic must have risen within the minutes that are
// remembered for them to tell of two different times: what is usual then is neither.
const regimes = 2 * grown

// flowsOf finds how an IDC's traffic has changed. What is offered is seen where it
// grew most: behind an app that is overloaded there is less.
func flowsOf(views []*view, memories []*memory) flows {
	out := flows{}
	each := func(f func(x *flow, c *change)) {
		for i, v := range views {
			for j := range v.series {
				s := &v.series[j]
				c := memories[i].change(s)
				if !c.known || c.base.qps < quiet {
					continue
				}
				x := out[s.key.Scene]
				if x == nil {
					x = &flow{grew: math.Inf(-1)}
					out[s.key.Scene] = x
				}
				f(x, &c)
			}
		}
	}
	each(func(x *flow, c *change) { x.most = max(x.most, c.base.qps) })
	each(func(x *flow, c *change) {
		if c.base.qps >= flowShare*x.most {
			x.grew = max(x.grew, c.lnQPS)
			x.rose = max(x.rose, c.base.lnRose)
			x.lost = x.lost || c.bad > badShare
		}
	})
	return out
}

// grew is the growth of the traffic that is meant for a place, 0 where there is none.
func (f flows) grew(v *view) (most float64) {
	for i := range v.series {
		if x := f[v.series[i].key.Scene]; x != nil {
			most = max(most, x.grew)
			if x.rose > regimes {
				most = max(most, x.rose)
			}
		}
	}
	return most
}

// behind is how much less of a series' requests arrive than are sent its way.
func (f flows) behind(s *series, c *change) float64 {
	if x := f[s.key.Scene]; x != nil {
		return c.lnQPS - x.grew
	}
	return 0
}

// starved reports whether a scene's requests are more than what is above can bear:
// it is not silent, it is hungry.
func (f flows) starved(scene string) bool {
	x := f[scene]
	return x != nil && x.grew > grown && x.lost
}

package loop

import "math"

const (
	tailShare = 0.02 // the heaviest crowd begins where this share of requests is left
	minSlope  = 0.1  // under this exponent load does not predict RT: one crowd
	keepCells = 0.25 // edges stay until predictions have moved by this much of a crowd
)

// layout is the fit as it was when the crowds got their edges.
type layout struct {
	a, b  float64 // ln reference RT = a + b·ln load
	ratio float64
}

// recrowd puts the crowd edges where the traffic is: Ratio apart in predicted RT
// at the reference, the heaviest crowd beginning at the tail. Edges stay until
// predictions have moved by a quarter of a crowd; then requests take their work
// along: a new crowd begins with the mean work of the bins it is made of.
func (s *State) recrowd(set Settings) {
	count := min(set.Crowds, MaxCrowds)
	if s.Fit.updates == 0 || s.Fit.theta[1] < minSlope || count < 2 {
		s.assign(1, func(int) int { return 0 })
		return
	}
	now := layout{s.Fit.theta[0], s.Fit.theta[1], set.Ratio}
	cell := math.Log(set.Ratio)
	top := s.tail(now)
	if count == s.Count && now.ratio == s.edges.ratio && s.shift(now) < keepCells*cell && math.Abs(top-s.lnTop) < cell {
		return
	}
	s.edges, s.lnTop = now, top
	s.assign(count, func(bin int) int {
		if bin == 0 {
			return count - 1 // no load known: with the heaviest, which is safe
		}
		return count - 1 + int(math.Floor((now.ln(bin)-top)/cell))
	})
}

// assign gives every bin its crowd and every crowd the work of its bins.
func (s *State) assign(count int, crowdOf func(bin int) int) {
	var lnWork, weight [MaxCrowds]float64
	var next [Bins]uint8
	for b := range next {
		k := min(max(crowdOf(b), 0), count-1)
		next[b] = uint8(k)
		w := s.weight[b] + 1e-9 // bins without traffic count only among themselves
		lnWork[k] += w * math.Log(s.Crowds[s.Assign[b]].Work)
		weight[k] += w
	}
	if count == s.Count && next == s.Assign {
		return
	}
	old := s.Crowds
	s.Crowds = [MaxCrowds]Crowd{}
	for k := range count {
		c := &s.Crowds[k]
		if count == s.Count {
			*c = old[k] // what was held out and shown stays; the window does not
			c.window, c.waited, c.lastMean = BinSample{}, 0, 0
		}
		if weight[k] > 0 {
			c.Work = math.Exp(lnWork[k] / weight[k])
		}
	}
	for k := count - 2; k >= 0; k-- { // crowds between two bins of the grid
		if s.Crowds[k].Work == 0 {
			s.Crowds[k].Work = s.Crowds[k+1].Work
		}
	}
	for k := 1; k < count; k++ {
		if s.Crowds[k].Work == 0 {
			s.Crowds[k].Work = s.Crowds[k-1].Work
		}
	}
	s.Count, s.Assign = count, next
}

func (l layout) ln(bin int) float64 { return l.a + l.b*math.Log(binLoad(bin)) }

// shift is the mean movement of ln reference RT between two layouts, over the
// traffic.
func (s *State) shift(to layout) float64 {
	var sum, w float64
	for b := 1; b < Bins; b++ {
		if s.weight[b] > 0 {
			sum += s.weight[b] * math.Abs(to.ln(b)-s.edges.ln(b))
			w += s.weight[b]
		}
	}
	return sum / max(w, 1e-9)
}

// tail is ln reference RT at the lower edge of the bin that tailShare of requests
// reach.
func (s *State) tail(l layout) float64 {
	var total, above float64
	for b := 1; b < Bins; b++ {
		total += s.weight[b]
	}
	b := Bins - 1
	for ; b > 1; b-- {
		if above += s.weight[b]; above >= tailShare*total {
			break
		}
	}
	return l.a + l.b*math.Log(binEdge(b))
}

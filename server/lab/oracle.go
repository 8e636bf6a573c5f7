package lab

import (
	"math"
	"time"
)

// Oracle bounds what any policy could earn on the same requests: for each slice
// of time, a knapsack of every request's work at every point with its true
// cost, noise included, under each app's cores.
//
// It is the Lagrangian dual. For any prices λ ≥ 0 of the apps' CPU,
//
//	value ≤ Σ_requests max(0, max_x v·worth(x) - Σ λ_app·cost(x)) + Σ λ_app·cores·slice
//
// so the least of all prices tried is a bound, found by stepping prices towards
// the ones at which demand meets capacity. A request must also be answered within
// its timeout when nothing else is in its way, which has a price of its own.
// The bound is loose in four ways, all of which make it higher: machines of an
// app are pooled over both IDCs, there is no waiting, cores may be busy all of
// the time, and a point is not held to what the one above it found. An oracle
// knows each user's value.
type Oracle struct {
	// Share of the cores that may be busy: 1 for the bound.
	Share float64
	// Blind makes it choose without knowing the user's value beyond what load
	// tells, and without knowing the noise. The figure is then what such choices
	// earn at their prices, not a bound.
	Blind bool
}

const oracleSlice = 10 * time.Second

// oracleRequest is one request as the oracle sees it.
type oracleRequest struct {
	load, value, known float64
	timeout            float64 // ns
	noise              [maxPoints]float32
}

type oracleRun struct {
	Oracle
	m      *Model
	prices [maxPoints]float64 // value for a ns of CPU, by app
	use    [maxPoints]float64
	earned float64
}

// Bound gives the share of the offered value that the oracle earns over the
// measured part of a scenario.
func (o Oracle) Bound(s *Scenario, seed uint64) float64 {
	m := s.model()
	cfg := s.config(m, seed)
	cfg.Controls = Free{}
	e := NewEngine(cfg)
	run := &oracleRun{Oracle: o, m: m}
	for a := range m.Apps {
		run.prices[a] = 1e-9
	}
	var all []oracleRequest
	var value, offered float64
	slice := int64(oracleSlice)
	end := int64(s.Warm + s.Measure)
	first := true
	for now := int64(0); now < end; now += int64(s.step()) {
		t := float64(now-int64(s.Warm)) / 1e9
		e.work.SetRate(s.copies(s.Load(max(t, 0))), now)
		for {
			at, ok := e.work.Peek()
			if !ok || at >= now+int64(s.step()) {
				break
			}
			a := e.work.Next()
			if at < int64(s.Warm) {
				continue
			}
			all = append(all, e.foresee(&a))
		}
		if next := now + int64(s.step()); next > int64(s.Warm) && (next-int64(s.Warm))%slice == 0 {
			v, off := run.slice(all, first)
			value, offered = value+v, offered+off
			all, first = all[:0], false
		}
	}
	return value / offered
}

func (e *Engine) foresee(a *Arrival) oracleRequest {
	scene, _ := e.place(a)
	sc := &e.model.Scenes[scene]
	r := oracleRequest{load: e.relative(a) * sc.Load, timeout: float64(sc.Timeout), value: userValue(a.zl, draw(e.valueSat, a.Key))}
	// What load tells of the value: the mean of the rest is 1.
	z := valueLoad * a.zl
	r.known = math.Exp(valueSD*z + valueSD*valueSD*(1-valueLoad*valueLoad)/2 - valueSD*valueSD/2)
	for i := range e.model.Points {
		r.noise[i] = float32(e.noise[cell(draw(e.salts[i], a.Key))])
	}
	return r
}

// slice bounds one slice: prices move by the ratio of demand to capacity.
func (o *oracleRun) slice(all []oracleRequest, first bool) (value, offered float64) {
	machines := float64(len(o.m.IDCs) * o.m.Machines)
	rounds := 5
	if first {
		rounds = 25
	}
	best := math.Inf(1)
	for range rounds {
		dual := 0.0
		o.use = [maxPoints]float64{}
		o.earned = 0
		for i := range all {
			dual += o.choose(&all[i])
		}
		for a := range o.m.Apps {
			capacity := machines * float64(o.m.Apps[a].Cores) * float64(oracleSlice) * o.Share
			dual += o.prices[a] * capacity
			ratio := (o.use[a] + 1) / capacity
			o.prices[a] *= min(max(math.Pow(ratio, 1.2), 0.3), 3)
			o.prices[a] = max(o.prices[a], 1e-15)
		}
		if o.Blind {
			best = o.earned // of the last, best-settled prices
		} else {
			best = min(best, dual)
		}
	}
	for i := range all {
		offered += all[i].value
	}
	return min(best, offered), offered
}

// choose gives the best Lagrangian of one request and adds what it uses. A
// request that would take longer than its timeout pays for time as well: any
// price of it gives a bound, and the least is taken.
func (o *oracleRun) choose(r *oracleRequest) float64 {
	c := o.at(r, 0)
	for lo, hi, k := 0.0, 0.0, 0; c.took > r.timeout && k < 12; k++ {
		// Prices of time are tried where the answer just fits, by doubling and
		// then halving the range.
		mu := 2 * (lo + 1e-11)
		if hi > 0 {
			mu = (lo + hi) / 2
		}
		d := o.at(r, mu)
		if d.took > r.timeout {
			lo = mu
		} else {
			hi = mu
		}
		if d.net < c.net {
			d.took = c.took // keeps the search going
			c = d
		}
	}
	if c.net <= 0 {
		return 0 // better not to answer at all
	}
	for a := range c.use {
		o.use[a] += c.use[a]
	}
	o.earned += r.value * c.worth
	return c.net
}

// choice is one way to serve a request.
type choice struct {
	net, worth, took float64
	use              [maxPoints]float64
}

// calls of a request one after the other, each a round over the network:
// merger, search node, feature, model.
const oracleCalls = 4

// at serves a request at a price of time.
func (o *oracleRun) at(r *oracleRequest, mu float64) (c choice) {
	v := r.value
	if o.Blind {
		v = r.known
	}
	c.took = oracleCalls * float64(network)
	for i := range o.m.Points {
		p := &o.m.Points[i]
		if p.External || i == Score {
			continue
		}
		noise := float64(r.noise[i])
		if o.Blind {
			noise = 1
		}
		price := o.prices[p.App]
		onPath := i != Select // the caller does not wait for it longer than it likes
		if onPath {
			price += mu
		}
		fixed := (float64(p.Fixed) + float64(p.PerLoad)*r.load) * noise
		cost, gain := fixed, 0.0
		switch {
		case p.Weight == 0 && i != Rank:
		case i == Rank:
			var score float64
			gain, cost, score = o.ranked(r, v, noise, mu)
			cost += fixed
			c.use[o.m.Points[Score].App] += score
			c.net -= (o.prices[o.m.Points[Score].App] + mu) * score
			c.took += score
		default:
			unit := float64(p.Slope) * r.load * noise
			x := o.optimum(i, v, price*unit)
			gain, cost = o.gain(i, x), fixed+unit*x
		}
		c.use[p.App] += cost
		c.worth += gain
		c.net += v*gain - price*cost
		if onPath {
			c.took += cost + float64(p.IO)
			c.net -= mu * float64(p.IO)
		}
	}
	c.net += mu * (r.timeout - oracleCalls*float64(network))
	return c
}

// ranked chooses rank's depth and model together with score's layers, whose cost
// grows with the depth. The depth is searched on a grid.
func (o *oracleRun) ranked(r *oracleRequest, v, noise, mu float64) (gain, cost, scoreCost float64) {
	const grid = 8
	rank, score := &o.m.Points[Rank], &o.m.Points[Score]
	lo, _ := rank.Params[0].Min.Number()
	hi, _ := rank.Params[0].Max.Number()
	sn := float64(r.noise[Score])
	if o.Blind {
		sn = 1
	}
	base := (float64(score.Fixed) + float64(score.PerLoad)*r.load) * sn
	unit := float64(rank.Slope) * r.load * noise
	best := math.Inf(-1)
	ratio := math.Pow(hi/lo, 1.0/(grid-1))
	for x, k := lo, 0; k < grid; k, x = k+1, x*ratio {
		per := float64(score.Slope) * r.load * sn * x / score.Multiply
		layers := o.optimum(Score, v, (o.prices[score.App]+mu)*per)
		sg, sc := o.gain(Score, layers), base+per*layers
		rg := o.gain(Rank, x)
		for f, factor := range rank.Factor {
			g, c := rg*rank.Quality[f]+sg, unit*x*factor
			if net := v*g - (o.prices[rank.App]+mu)*c - (o.prices[score.App]+mu)*sc; net > best {
				best, gain, cost, scoreCost = net, g, c, sc
			}
		}
	}
	return gain, cost, scoreCost
}

// optimum is where one more unit of work earns its price: v·g'(x) = price.
func (o *oracleRun) optimum(point int, v, price float64) float64 {
	p := &o.m.Points[point]
	lo, _ := p.Params[0].Min.Number()
	hi, _ := p.Params[0].Max.Number()
	slope := v * p.Weight / (1 - math.Exp(-hi/p.Scale)) / p.Scale
	return min(max(p.Scale*math.Log(slope/max(price, 1e-300)), lo), hi)
}

func (o *oracleRun) gain(point int, x float64) float64 {
	p := &o.m.Points[point]
	hi, _ := p.Params[0].Max.Number()
	return p.Weight * (1 - math.Exp(-x/p.Scale)) / (1 - math.Exp(-hi/p.Scale))
}

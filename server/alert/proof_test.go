package alert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/telemetry"
)

func TestProof(t *testing.T) {
	l := limits{least: math.Log(1.2)}
	ln := math.Log
	for name, c := range map[string]struct {
		p    proof
		l    limits
		held bool
		want bool
	}{
		"slower, CPU not known":                  {proof{cost: ln(1.5), slow: ln(1.5)}, l, false, true},
		"slower and not busier: a disk, a lock":  {proof{cost: ln(1.5), slow: ln(1.5), cpu: true, busy: 0.5, was: 0.5}, l, false, true},
		"slower because it does more":            {proof{cost: ln(1.5), slow: ln(1.6), cpu: true, spent: 0.02, each: 0.1, busy: 0.8, was: 0.7}, l, false, false},
		"slower, and its CPU too":                {proof{cost: ln(1.5), slow: ln(1.5), cpu: true, spent: ln(1.5), each: ln(1.5), busy: 0.8, was: 0.55}, l, false, true},
		"full, as its peers: the queue it has":   {proof{cost: ln(3), slow: ln(3), cpu: true, spent: 0.03, each: 0.03, busy: 0.97, was: 0.97}, l, false, false},
		"full, and CPU agrees":                   {proof{cost: ln(3), slow: ln(3), cpu: true, spent: ln(1.4), each: ln(1.4), busy: 1, was: 0.8}, l, false, true},
		"lower level, neither slower nor busier": {proof{cost: ln(1.5), slow: -0.1, cpu: true, spent: ln(1.4), each: -0.05, busy: 0.68, was: 0.74}, l, false, false},
		"turned down, no longer slower":          {proof{cost: 0.05, slow: -0.1, cpu: true, spent: ln(1.5), each: 0.2, busy: 0.6, was: 0.5}, l, true, true},
		"turned down, and nothing was before":    {proof{cost: 0.05, slow: -0.1, cpu: true, spent: ln(1.5), each: 0.2, busy: 0.6, was: 0.5}, l, false, false},
		"both within half of what they move":     {proof{cost: 0.25, slow: 0.25, cpu: true, spent: 0.25, each: 0.25, busy: 0.6, was: 0.5}, limits{least: l.least, cost: 0.6, spent: 0.6}, false, false},
		"both over half of what they move":       {proof{cost: 0.35, slow: 0.35, cpu: true, spent: 0.35, each: 0.35, busy: 0.6, was: 0.5}, limits{least: l.least, cost: 0.6, spent: 0.6}, false, true},
		"slower at other traffic, CPU says no":   {proof{cost: ln(2), slow: ln(2), cpu: true, spent: 0.05, each: 0.05, busy: 0.5, was: 0.5}, limits{least: l.least, agree: true}, false, false},
		"quicker and cheaper":                    {proof{cost: -0.5, slow: -0.5, cpu: true, spent: -0.5, each: -0.5, busy: 0.3, was: 0.5}, l, true, false},
	} {
		_, got := c.p.holds(c.l, c.held)
		require.Equal(t, c.want, got, name)
	}
}

// A burst of two seconds in every ten makes the mean of ten seconds four times of
// what it is else, all the time.
func TestBurstsAreNoFault(t *testing.T) {
	for name, only := range map[string]int{"one machine": 2, "all": -1} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t).calm()
			b.after = func(i int, m *telemetry.Machine) {
				if s := &m.Shares[0]; i == only || only < 0 {
					x := &s.Blocks[int(b.now.Unix()/2)%telemetry.Blocks]
					s.RTSum += 15 * x.RTSum
					x.RTSum *= 16
				}
			}
			require.Empty(t, b.run(600).out)
		})
	}
}

// A machine that does more is busier and answers later; one that needs more for the
// same is bad, and so is one that is slower with its cores idle.
func TestBusierIsNotWorse(t *testing.T) {
	more := func(cpu, level, rt float64) func(int, *telemetry.Machine) {
		return func(i int, m *telemetry.Machine) {
			m.CPU = 0.75
			if i == 2 {
				s := &m.Shares[0]
				m.CPU, s.LevelSum, s.RTSum = cpu, int64(level*float64(s.LevelSum)), time.Duration(rt*float64(s.RTSum))
			}
		}
	}
	b := newBed(t)
	b.each = more(0.75, 1, 1)
	b.calm()
	b.each = more(0.84, 1.12, 1.7)
	require.Empty(t, b.run(300).out)
	b.each = more(0.9, 0.8, 1.3)
	b.run(30).one(BadMachine)

	b = newBed(t)
	b.each = more(0.75, 1, 1)
	b.calm()
	b.each = more(0.75, 1, 1.5)
	b.run(30).one(BadMachine)
}

// The loop takes away what time shows; CPU still tells.
func TestCapacityOutlastsTheLoop(t *testing.T) {
	b := newBed(t).calm()
	turned := 0.0
	b.each = func(_ int, m *telemetry.Machine) {
		s := &m.Shares[0]
		m.CPU = 0.75 - 0.15*turned
		s.RTSum = time.Duration((1.6 - 0.75*turned) * float64(s.RTSum))
		s.LevelSum = int64((1 - 0.15*turned) * float64(s.LevelSum))
	}
	b.run(4)
	turned = 1
	b.run(10).one(Capacity)
}

// chance is what a place without faults does by chance: requests whose cost has a
// heavy tail, bursts at one machine and at all, traffic that swings, loops that
// wander, and CPU that is measured to a few percent.
type chance struct {
	rng   *rand.Rand
	cells [][10]telemetry.Block // of each machine, by second
	drift []float64
	burst []int // seconds that are left of it
	all   int
	slow  func(i int) float64
}

func (c *chance) machine(i int, second int64, m *telemetry.Machine) {
	if i == 0 {
		if c.all--; c.rng.Float64() < 1.0/240 {
			c.all = 1 + c.rng.IntN(3)
		}
	}
	if c.burst[i]--; c.rng.Float64() < 1.0/120 {
		c.burst[i] = 1 + c.rng.IntN(3)
	}
	c.drift[i] = 0.995*c.drift[i] + 0.008*c.rng.NormFloat64()
	swing := 1 + 0.15*math.Sin(float64(second)/40)
	n := int64(40*swing + 6*c.rng.NormFloat64())
	rt := 8 * math.Exp(0.2*c.rng.NormFloat64()+c.drift[i])
	if c.burst[i] > 0 || c.all > 0 {
		rt *= 1.5 + 6*c.rng.Float64()
	}
	slow := c.slow(i)
	rt *= slow
	c.cells[i][second%10] = telemetry.Block{Count: n, RTSum: time.Duration(rt * float64(n) * 1e6), LevelSum: int64(60 * math.Exp(c.drift[i]) * float64(n)), Load: 100 * float64(n) * math.Exp(0.05*c.rng.NormFloat64())}
	m.CPU = min(0.55*swing*slow*math.Exp(0.03*c.rng.NormFloat64()+c.drift[i]), 1)
	s := &m.Shares[0]
	*s = telemetry.Share{Scene: s.Scene, Point: s.Point}
	for age := range int64(10) {
		x := &c.cells[i][(second-age+1000)%10]
		y := &s.Blocks[age/2]
		y.Count, y.RTSum, y.LevelSum, y.Load = y.Count+x.Count, y.RTSum+x.RTSum, y.LevelSum+x.LevelSum, y.Load+x.Load
		s.Count, s.RTSum, s.LevelSum, s.Load = s.Count+x.Count, s.RTSum+x.RTSum, s.LevelSum+x.LevelSum, s.Load+x.Load
	}
}

// TestFalseRate bounds what chance raises: twenty-four machines for six hours, half
// a million looks at a machine. Then each in turn is half as slow again, and is found.
func TestFalseRate(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.machines = 24
	c := &chance{rng: rand.New(rand.NewPCG(1, 2)), cells: make([][10]telemetry.Block, b.machines), drift: make([]float64, b.machines), burst: make([]int, b.machines)}
	c.slow = func(int) float64 { return 1 }
	b.after = func(i int, m *telemetry.Machine) { c.machine(i, b.now.Unix(), m) }
	b.run(6 * 3600)
	for _, a := range b.out {
		t.Errorf("%v %s: %s", a.FiredAt.Sub(start), a.Kind, a.Reason)
	}
	for bad := range b.machines {
		c.slow = func(i int) float64 {
			if i == bad {
				return 1.5
			}
			return 1
		}
		b.out = nil
		b.run(30)
		a := b.one(BadMachine)
		require.Equal(t, fmt.Sprintf("m%d", bad), a.Scope.Instance)
		c.slow = func(int) float64 { return 1 }
		b.run(120) // resolved
	}
}

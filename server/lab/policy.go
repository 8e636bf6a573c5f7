package lab

import (
	"strconv"
	"strings"
	"time"

	"github.com/allspark/allspark/server/quota"
)

// Policy is a way to control an engine.
type Policy interface {
	Controls
	// Tick is called once every step of the scenario, at least once a second.
	Tick(now int64)
}

// Setup is what a policy is given to control: what an operator would know. The
// model is there for what an operator would have measured; policies that look
// into it say so.
type Setup struct {
	Scenario *Scenario
	Model    *Model
	Ladders  []*Ladder // by point; nil where nothing is turned
	Targets  []float64 // available RT by point, µs
	Static   []int     // the best static levels, found by search
	Peak     []int     // levels that fit the peak plan
	Seed     uint64
	linked   func() []float64 // RT at jointly chosen levels, beside Targets
	budgets  func(equal bool) []float64
	Engine   *Engine // set before the first visit; policies may read CPU from it
}

// PolicyInfo names a policy.
type PolicyInfo struct {
	Name, About string
	make        func(*Setup) Policy
	// factor is the available RT of each point beside its mean at the default
	// gears under nominal load; 0 where the policy has no such thing.
	factor float64
}

// The available RT each law is given. It was first chosen on seeds 1 to 3 of the
// conversation trace, which the results use too; the sweep on other seeds that
// RESULTS.md shows agrees. For one mean a point, the one that earns most; for
// crowds, the highest at which no more users are lost than under that. Given one
// and the same T, the crowd loop would be held back: when every crowd is at or
// under T, the mean of a point is well under it.
const (
	centralFactor  = 1.3
	isolatedFactor = 1.3
	crowdFactor    = 1.6
	linkedFactor   = 2.0 // beside the RT at the jointly chosen levels; chosen as for crowds

	// Of the limiters, the factor on the RT that counts as congestion: the best of
	// five on the day and at twice nominal, conversation trace, the sweep's seeds.
	aimdFactor, codelFactor = 2.0, 0.65
)

// Policies lists every policy in the order they are shown.
func Policies() []PolicyInfo {
	return []PolicyInfo{
		{"none", "no control: the defaults each app declared", func(*Setup) Policy { return ticking{} }, 0},
		{"static", "the best static levels, searched for the scenario's load", func(s *Setup) Policy { return newStatic(s, s.Static) }, 0},
		{"peak", "static levels that fit the planned peak", func(s *Setup) Policy { return newStatic(s, s.Peak) }, 0},
		{"central", "one level a point and IDC, moved by the controller on its mean RT (server/feedback)", newCentral, centralFactor},
		{"crowd", "the crowd loop of every machine, point and scene (agent/loop)", func(s *Setup) Policy { return newCrowd(s, 0) }, crowdFactor},
		{"isolated", "the same loop without crowds: one level a machine, point and scene", func(s *Setup) Policy { return newCrowd(s, 1) }, isolatedFactor},
		{"linked", "the crowd loop with T from levels chosen jointly over all points for the scenario's load, as an allocation table gives them", newLinked, linkedFactor},
		{"aimd", "default gears; concurrency at the search node limited by AIMD (baseline)", func(s *Setup) Policy { return newLimited(s, newAIMD) }, aimdFactor},
		{"gradient2", "default gears; concurrency limited by Gradient2 (baseline)", func(s *Setup) Policy { return newLimited(s, newGradient) }, 0},
		{"codel", "default gears; calls dropped at the search node by CoDel (baseline)", func(s *Setup) Policy { return newLimited(s, newCoDel) }, codelFactor},
		{"dcaf", "DCAF: each request's gear by value and cost under a price of CPU; knows the true value curves", newDCAF, 0},
		{"cpu-1s", "one work factor an app and IDC, PID on CPU sampled every second", func(s *Setup) Policy { return newCPU(s, time.Second) }, 0},
		{"cpu-5s", "the same, sampled every 5 s", func(s *Setup) Policy { return newCPU(s, 5*time.Second) }, 0},
		{"quota", "a budget an app of what it works on, calibrated at the planned peak; base quota weighted by user value (server/quota)", quotas(quotaMode{}), 0},
		{"quota-equal", "the same, every user weighing the same", quotas(quotaMode{equal: true}), 0},
		{"quota-dcaf", "the same budgets under DCAF's price, gain curves by value bucket (server/quota)", quotas(quotaMode{law: quota.LawDCAF}), 0},
		{"quota-linear", "the same under the linear law", quotas(quotaMode{law: quota.LawLinear}), 0},
		{"quota-cpu-1s", "the same PID and quotas on CPU sampled every second instead of the window", quotas(quotaMode{cpu: time.Second}), 0},
		{"quota-cpu-5s", "the same, sampled every 5 s", quotas(quotaMode{cpu: 5 * time.Second}), 0},
		{"autoscaler", "default gears; cores follow CPU, 120 s from the decision to warm", newScaler, 0},
	}
}

// FindPolicy finds a policy by name. "crowd@2" is crowd with an available RT of
// twice each point's mean at the default gears under nominal load.
func FindPolicy(name string) (PolicyInfo, bool) {
	base, given, has := strings.Cut(name, "@")
	for _, p := range Policies() {
		if p.Name != base {
			continue
		}
		if has {
			x, err := strconv.ParseFloat(given, 64)
			if err != nil || p.factor == 0 || !(x >= 0.1 && x <= 100) {
				return PolicyInfo{}, false
			}
			p.Name, p.factor = name, x
		}
		build, factor := p.make, p.factor
		p.make = func(s *Setup) Policy {
			if factor > 0 && base == "linked" {
				s.Targets = s.linked()
			}
			if factor > 0 {
				targets := make([]float64, len(s.Targets))
				for i := range targets {
					targets[i] = s.Targets[i] / targetFactor * factor
				}
				s.Targets = targets // a run has a setup of its own
			}
			return build(s)
		}
		return p, true
	}
	return PolicyInfo{}, false
}

// ticking is Free as a policy.
type ticking struct{ Free }

func (ticking) Tick(int64) {}

// static runs every point at one level.
type static struct {
	ticking
	rows []*Reading // by point
}

func newStatic(s *Setup, levels []int) Policy {
	p := &static{rows: make([]*Reading, len(s.Ladders))}
	for i, l := range s.Ladders {
		if l != nil {
			p.rows[i] = &l.Rows[levels[i]-1]
		}
	}
	return p
}

func (p *static) Begin(v *Visit, r *Reading) {
	if row := p.rows[v.Point]; row != nil {
		*r = *row
	}
}

// cpuMeter reads the share of a machine's cores that was busy since the last
// reading.
type cpuMeter struct {
	busy float64
	at   int64
}

func (c *cpuMeter) read(e *Engine, machine int) float64 {
	busy, now := e.Busy(machine), e.Now()
	u := 0.0
	if now > c.at {
		u = (busy - c.busy) / float64(now-c.at) / float64(e.Cores(machine))
	}
	c.busy, c.at = busy, now
	return min(u, 1)
}

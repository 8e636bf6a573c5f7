package lab

import (
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/quota"
)

// Metric names, in the order tables show them.
const (
	MetricValue    = "value"                 // earned / offered
	MetricGapShare = "value_gap_share"       // (value - static's) / (oracle's - static's)
	MetricDepth    = "depth_mean"            // tags a recall looks up
	MetricMean     = "rt_mean_ms"            // at the frontend, timeouts at the timeout
	MetricP50      = "rt_p50_ms"             //
	MetricP99      = "rt_p99_ms"             //
	MetricTimeouts = "timeout_rate"          // timed out, failed or refused / all
	MetricNeedless = "downgraded_needlessly" // visits below the top that would have been within T there / all
	MetricCut      = "cut_work"              // results the point below cut off / all of them
	MetricSettle   = "settle_s"              // from the event until under 2 % are lost, for 30 s
	MetricChurn    = "churn"                 // mean |Δ work| a point and 10 s, percent of the top
	MetricSNp99    = "sn_p99_ms"             // of recall + prerank + rank visits, the search node's own
	MetricCPU      = "sn_cpu"                // search node: share of its nominal cores that was busy
	MetricCores    = "cores"                 // mean cores / nominal
	MetricOracle   = "oracle"                // the oracle's value

	MetricCandidates = "candidates_mean" // that a request asks prerank for

	// Of quota groups by themselves; see GroupWorld.
	MetricOvershoot = "base_overshoot" // how far the base quota passes its final value
	MetricPeak      = "sum_peak"       // the window's highest sum / that of an ideal actuator with the same delay
	MetricTheta     = "settle_theta"   // until the base stays within 5 % of its final value, in dead times
	MetricSwing     = "base_swing"     // peak to peak of the base over the last 10 s / its mean
)

// Metrics lists the metrics in the order tables show them.
func Metrics() []string {
	return []string{
		MetricValue, MetricGapShare, MetricDepth, MetricMean, MetricP50, MetricP99, MetricTimeouts,
		MetricNeedless, MetricCut, MetricSettle, MetricChurn, MetricSNp99, MetricCPU, MetricCores, MetricOracle,
		MetricCandidates, MetricOvershoot, MetricPeak, MetricTheta, MetricSwing,
	}
}

// Result is the metrics of one run by name; one that does not apply is absent.
type Outcomes map[string]float64

// Plan is a scenario made ready: model, ladders and targets; the best static
// levels are searched when a run first asks for them. It is shared by parallel
// runs.
type Plan struct {
	Scenario Scenario
	ladders  []*Ladder
	targets  []float64
	peak     []int
	fluid    fluid

	once   sync.Once
	static []int
	share  float64 // of the cores, at which the best static levels were found

	joint    sync.Once
	linkedRT []float64 // targetFactor times the mean RT at the best static levels, µs

	surveys surveys // budgets of quota groups
}

// targetFactor is the available RT of each point beside its mean at the default
// gears under the nominal load, the same for every policy that has one. It is
// what a scene of 210 ms end to end may grow to before p99 meets its timeout.
const targetFactor = 1.3

// searchSeeds are the seeds on which static levels are searched; experiments
// count from 1 and never use them.
var searchSeeds = []uint64{9001, 9002}

// NewPlan makes a scenario ready.
func NewPlan(s Scenario) *Plan {
	p := &Plan{Scenario: s, ladders: make([]*Ladder, len(Standard(1).Points)), targets: nominalTargets()}
	if s.Group != nil {
		return p
	}
	m := s.model()
	for i := range m.Points {
		p.ladders[i] = ladderOf(m, i)
	}
	p.fluid = fluid{m, p.ladders}
	p.peak = p.fluid.best(nominal*max(s.Peak, 1), 0.8)
	return p
}

// best searches the best static levels: for each share of the cores the levels
// that earn most on paper, and of those the ones that earn most when they are
// played, first in coarse steps of the share, then around the best.
func (p *Plan) best() []int {
	p.once.Do(func() {
		earned := map[float64]float64{}
		found := -1.0
		try := func(share float64) {
			if _, seen := earned[share]; seen || share < 0.2 {
				return
			}
			levels := p.fluid.best(nominal*p.Scenario.meanLoad(), share)
			sum := 0.0
			for _, seed := range searchSeeds {
				sum += p.simulate(func(st *Setup) Policy { return newStatic(st, levels) }, seed)[MetricValue]
			}
			if earned[share] = sum; sum > found {
				found, p.static, p.share = sum, levels, share
			}
		}
		for _, share := range []float64{0.4, 0.55, 0.7, 0.85, 1} {
			try(share)
		}
		for _, off := range []float64{-0.075, 0.075} {
			try(p.share + off)
		}
	})
	return p.static
}

// pointMeter measures the mean RT of every point.
type pointMeter struct {
	Free
	n, us []float64
}

func (p *pointMeter) End(v *Visit, res Result) {
	if res.Outcome == OK {
		p.n[v.Point]++
		p.us[v.Point] += float64(res.Elapsed) / 1000
	}
}

// nominalTargets measures the standard engine at its defaults and nominal load.
var nominalTargets = sync.OnceValue(func() []float64 {
	s := Scenario{Load: flat(1)}
	m := s.model()
	meter := &pointMeter{n: make([]float64, len(m.Points)), us: make([]float64, len(m.Points))}
	cfg := s.config(m, searchSeeds[0])
	cfg.Controls = meter
	e := NewEngine(cfg)
	e.Run(int64(300*time.Second), math.MaxInt)
	out := make([]float64, len(m.Points))
	for i := range out {
		if meter.n[i] > 0 && gears[i].levels > 0 {
			out[i] = math.Round(targetFactor * meter.us[i] / meter.n[i])
		}
	}
	return out
})

// linked measures the mean RT of every point at the best static levels, as a row
// of an allocation table tells it, and gives it on the scale of Targets.
func (p *Plan) linked() []float64 {
	levels := p.best()
	p.joint.Do(func() {
		s := p.Scenario
		m := s.model()
		st := &Setup{Ladders: p.ladders}
		meter := &pointMeter{n: make([]float64, len(m.Points)), us: make([]float64, len(m.Points))}
		cfg := s.config(m, searchSeeds[0])
		cfg.Controls = struct {
			beginner
			ender
		}{newStatic(st, levels), meter}
		e := NewEngine(cfg)
		e.SetRate(s.copies(s.meanLoad()))
		e.Run(int64(300*time.Second), math.MaxInt)
		p.linkedRT = make([]float64, len(m.Points))
		for i := range p.linkedRT {
			if p.ladders[i] != nil && meter.n[i] > 0 {
				p.linkedRT[i] = math.Round(targetFactor * meter.us[i] / meter.n[i])
			}
		}
	})
	return p.linkedRT
}

// beginner and ender are the two halves of Controls.
type (
	beginner interface{ Begin(*Visit, *Reading) }
	ender    interface{ End(*Visit, Result) }
)

// Run plays the scenario under a policy.
func (p *Plan) Run(policy string, seed uint64) Outcomes {
	info, ok := FindPolicy(policy)
	if !ok {
		panic("lab: no policy " + policy)
	}
	if w := p.Scenario.Group; w != nil {
		if law, ok := map[string]quota.Law{"quota": quota.LawLog, "quota-linear": quota.LawLinear}[policy]; ok {
			return w.outcomes(law, seed)
		}
		return Outcomes{} // nothing that others turn exists there
	}
	if policy == "static" {
		p.best()
	}
	return p.simulate(info.make, seed)
}

// count plays a policy and gives how many requests ended, warm-up and all.
func (p *Plan) count(policy string, seed uint64) int64 {
	info, _ := FindPolicy(policy)
	return p.play(info.make, seed).ended
}

// probe watches the search node's own visits beside the policy.
type probe struct {
	Policy
	on bool
	rt sketch.Sum
}

func (p *probe) End(v *Visit, res Result) {
	if p.on && res.Outcome == OK && (v.Point == Recall || v.Point == Prerank || v.Point == Rank) {
		p.rt.Record(uint64(res.Elapsed/1000), 1)
	}
	p.Policy.End(v, res)
}

func (p *Plan) simulate(build func(*Setup) Policy, seed uint64) Outcomes {
	r := p.play(build, seed)
	return r.outcomes()
}

// play runs the scenario once.
func (p *Plan) play(build func(*Setup) Policy, seed uint64) *recorder {
	s := &p.Scenario
	m := s.model()
	cfg := s.config(m, seed)
	setup := &Setup{Scenario: s, Model: m, Ladders: p.ladders, Targets: p.targets, Static: p.static, Peak: p.peak, Seed: seed, budgets: p.budgets, linked: p.linked}
	watch := &probe{Policy: build(setup)}
	cfg.Controls = watch
	cfg.Judge = &Judge{Tops: make([]Reading, len(m.Points)), Targets: make([]float64, len(m.Points))}
	for i, l := range p.ladders {
		if l != nil {
			cfg.Judge.Tops[i], cfg.Judge.Targets[i] = l.Rows[l.Top()-1], p.targets[i]*1000
		}
	}
	e := NewEngine(cfg)
	setup.Engine = e
	rec := &recorder{plan: p, engine: e, own: &watch.rt}
	for now := int64(0); now < int64(s.Warm+s.Measure); now += int64(s.step()) {
		if now == int64(s.Warm) {
			_, rec.ended = rec.losses()
			e.Tally.Reset()
			watch.on = true
			rec.begin()
		}
		e.SetRate(s.copies(s.Load(max(float64(now-int64(s.Warm))/1e9, 0))))
		e.Run(now+int64(s.step()), math.MaxInt)
		watch.Tick(e.Now())
		if now >= int64(s.Warm) {
			rec.look()
		}
	}
	_, n := rec.losses()
	rec.ended += n
	return rec
}

// Describe tells what was measured and searched before the runs.
func (p *Plan) Describe() string {
	if p.Scenario.Group != nil {
		return fmt.Sprintf("a budget of %g candidates a second for %g requests a second", groupBudget, groupRate)
	}
	s := "T at the standard factor, and best static levels"
	if p.share > 0 {
		s += fmt.Sprintf(" (at %.0f %% of the cores)", 100*p.share)
	}
	sep := ": "
	for i, l := range p.ladders {
		if l != nil {
			s += fmt.Sprintf("%s%s %.1f ms", sep, Standard(1).Points[i].Name, p.targets[i]/1000)
			if p.share > 0 {
				s += fmt.Sprintf(" %d/%d", p.static[i], l.Top())
			}
			sep = ", "
		}
	}
	return s
}

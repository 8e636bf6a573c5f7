package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Standards is the standard set: what RESULTS.md shows. Quota has a page of its own
// (QuotaReport). It takes some 12 minutes of two cores.
type Standards struct {
	Seeds    int // of the final tables; other parts take fewer
	Workers  int
	Progress func(done, total int, what string)
	// Only names the parts to play; all when empty. See StandardParts.
	Only []string
	// Sofar is given the page as far as it is, after every part.
	Sofar func(page string) error

	out   strings.Builder
	names []string // of the parts
	part  int
}

// StandardParts names the parts of the set in the order of the page.
func StandardParts() []string {
	return []string{"crowds", "setpoints", "share", "accuracy", "losing", "worlds", "limits"}
}

// Run plays the set and gives the page.
func (s *Standards) Run(ctx context.Context) (string, error) {
	s.out.Reset()
	s.names = StandardParts()
	s.say("# What the lab shows\n\nMade by `make lab` (`allspark lab standard --seeds %d`). Do not edit: run it again.\n\n"+
		"Everything runs in virtual time on the model of `doc.go` with the constants of `constants.go`, which were fixed before any policy was "+
		"compared, under the production rules: `agent/loop` for crowds, `server/feedback` for the central level, `server/template` for gears. "+
		"All policies see the same requests, machines and noise; ± is a 95 %% interval over seeds, and differences are paired by seed. "+
		"Value is what answers earned, as a share of what full answers to everybody would earn. "+
		"T is the available RT of a point as a factor on its mean at the default gears under nominal load (search node 60 %% busy). "+
		"The code trace was held out: nothing was chosen on it.\n", s.Seeds)
	parts := []func(context.Context) error{s.table1, s.tune, s.gaps, s.accuracy, s.sweeps, s.worlds, s.limits}
	for i, name := range s.names {
		s.part = i
		if len(s.Only) > 0 && !slices.Contains(s.Only, name) {
			continue
		}
		if err := parts[i](ctx); err != nil {
			return "", err
		}
		if s.Sofar != nil {
			if err := s.Sofar(s.out.String()); err != nil {
				return "", err
			}
		}
	}
	return s.out.String(), nil
}

func (s *Standards) say(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

// run plays an experiment with progress that names the part.
func (s *Standards) run(ctx context.Context, x Experiment) (*Results, error) {
	x.Workers = s.Workers
	if s.Progress != nil {
		x.Progress = func(done, total int, what string) {
			s.Progress(s.part*total+done, len(s.names)*total, fmt.Sprintf("%s: %s", s.names[s.part], what))
		}
	}
	return x.Run(ctx)
}

func (s *Standards) few(n int) int { return min(s.Seeds, n) }

func scenarios(names ...string) (list []Scenario) {
	for _, n := range names {
		s, ok := FindScenario(n)
		if !ok {
			panic("lab: no scenario " + n) // a name in this file
		}
		list = append(list, s)
	}
	return list
}

// table writes a Markdown table of one scenario, a policy a row.
func (s *Standards) table(r *Results, scenario int, metrics ...string) {
	s.say("\n| policy |")
	for _, m := range metrics {
		s.say(" %s |", m)
	}
	s.say("\n|---|%s\n", strings.Repeat("---:|", len(metrics)))
	for _, p := range r.Policies {
		s.say("| %s |", p)
		for _, m := range metrics {
			v, ok := r.Series(scenario, p, m)
			s.say(" %s |", Cell{Of(v), ok}.Text())
		}
		s.say("\n")
	}
}

// tune sweeps the factor of T of each law that has one.
func (s *Standards) tune(ctx context.Context) error {
	x := Experiment{Scenarios: scenarios("day-conv"), Seeds: s.few(2), NoGap: true}
	factors := []string{"1", "1.3", "1.6", "2", "2.5"}
	laws := []string{"central", "isolated", "crowd"}
	for _, law := range laws {
		for _, f := range factors {
			x.Policies = append(x.Policies, law+"@"+f)
		}
	}
	x.Offset = searchSeeds[0]
	for _, law := range []string{"aimd", "codel"} { // limiters have their own place for congestion
		for _, f := range []string{"0.65", "1.3", "2"} {
			x.Policies = append(x.Policies, law+"@"+f)
		}
	}
	r, err := s.run(ctx, x)
	if err != nil {
		return err
	}
	s.say("\n## The setpoint of each law\n\nThe day on the conversation trace, %d seeds on which nothing is evaluated. Each law is given a T of its own in what follows: "+
		"central %g and isolated %g, which earn most; crowd %g, the highest at which no more users are lost than under central; linked %g by the same rule, beside the RT at levels chosen jointly. "+
		"At one and the same T, crowds are held back: when every crowd is at or under T, the mean of a point is well under it. "+
		"Limiters take the factor as the RT that counts as congestion: aimd %g and codel %g earn most over the day and at twice nominal. Gradient2 has its published constants.\n",
		x.Seeds, centralFactor, isolatedFactor, crowdFactor, linkedFactor, aimdFactor, codelFactor)
	s.table(r, 0, MetricValue, MetricDepth, MetricP99, MetricTimeouts, MetricNeedless)
	return nil
}

// table1 is the seed design's table: crowds against one central level against none.
func (s *Standards) table1(ctx context.Context) error {
	days := scenarios("day-conv", "day-code")
	r, err := s.run(ctx, Experiment{Scenarios: days, Policies: []string{"none", "central", "crowd"}, Seeds: s.Seeds, NoGap: true})
	if err != nil {
		return err
	}
	others, err := s.run(ctx, Experiment{Scenarios: days, Policies: []string{"central", "isolated", "crowd", "central@1.6", "crowd@1.3", "crowd@2"}, Seeds: s.few(5), NoGap: true})
	if err != nil {
		return err
	}
	s.say("\n## Crowds against one central level against none\n\nA day with two peaks, %d seeds. What the design this follows reports from production: crowds over central depth +10 %%, "+
		"p99 of the search node -6 ms, revenue +0.7 %%; none against central revenue -5 %%.\n", s.Seeds)
	for i, name := range []string{"Conversation trace", "Code trace, held out"} {
		s.say("\n### %s\n", name)
		s.table(r, i, MetricValue, MetricDepth, MetricSNp99, MetricP99, MetricTimeouts, MetricNeedless, MetricCut, MetricCPU, MetricChurn)
		s.pairs(r, i, [][2]string{{"crowd", "central"}, {"none", "central"}})
		s.say("\nOver %d seeds, what other setpoints and the loop without crowds do:\n", others.Seeds)
		s.pairs(others, i, [][2]string{{"crowd@1.3", "central"}, {"crowd@2", "central"}, {"crowd", "central@1.6"}, {"isolated", "central"}, {"crowd", "isolated"}})
	}
	return nil
}

// pairs writes differences of policies, paired by seed.
func (s *Standards) pairs(r *Results, scenario int, pairs [][2]string) {
	s.say("\n| paired difference | value, %% | depth, %% | sn p99, ms | p99, ms | lost, points |\n|---|---:|---:|---:|---:|---:|\n")
	for _, pair := range pairs {
		s.say("| %s - %s |", pair[0], pair[1])
		for _, m := range []string{MetricValue, MetricDepth, MetricSNp99, MetricP99, MetricTimeouts} {
			a, _ := r.Series(scenario, pair[0], m)
			b, _ := r.Series(scenario, pair[1], m)
			d := Paired(a, b)
			scale := 1.0
			switch m {
			case MetricValue, MetricDepth:
				scale = 100 / Of(b).Mean
			case MetricTimeouts:
				scale = 100
			}
			s.say(" %+.2f ±%.2f |", d.Mean*scale, d.Half*scale)
		}
		s.say("\n")
	}
}

// sweeps bends the world until crowds lose to the central level.
func (s *Standards) sweeps(ctx context.Context) error {
	s.say("\n## Where crowds lose\n\nThe day on the conversation trace, crowd minus central in value, paired over %d seeds, as one thing about the world changes.\n", s.few(3))
	base := scenarios("day-conv")[0]
	trace := base.trace()
	for _, sweep := range []struct {
		title, column string
		values        []float64
		change        func(w *Scenario, v float64)
		also          func(v float64) string
	}{
		{
			"Users alike or unlike: the exponent on load", "sd of ln load",
			[]float64{0.1, 0.25, 0.5, 0.75, 1, 1.3},
			func(w *Scenario, v float64) { w.Users.Spread = v },
			func(v float64) string { return fmt.Sprintf("%.2f", v*trace.logSD) },
		},
		{
			"Concavity: the work that earns 63 %, beside the model's", "of full at default",
			[]float64{0.1, 0.3, 0.6, 1, 2, 5},
			func(w *Scenario, v float64) { w.Concave = v },
			func(v float64) string {
				one := base
				one.Concave = v
				p := NewPlan(one)
				levels := make([]int, len(p.ladders))
				for i, l := range p.ladders {
					if l != nil {
						levels[i] = l.Default
					}
				}
				worth, _ := p.fluid.at(levels)
				return fmt.Sprintf("%.2f", worth)
			},
		},
		{
			"Prediction: the error of ln load", "R² of the prediction",
			[]float64{0.001, 0.25, 0.5, 1, 1.5, 3},
			func(w *Scenario, v float64) { w.Users.Blur = v },
			func(v float64) string {
				return fmt.Sprintf("%.2f", trace.logSD*trace.logSD/(trace.logSD*trace.logSD+v*v))
			},
		},
	} {
		x := Experiment{Policies: []string{"central", "crowd"}, Seeds: s.few(3), NoGap: true}
		for _, v := range sweep.values {
			w := base
			w.Name = fmt.Sprintf("%s %g", sweep.title, v)
			sweep.change(&w, v)
			x.Scenarios = append(x.Scenarios, w)
		}
		r, err := s.run(ctx, x)
		if err != nil {
			return err
		}
		s.say("\n### %s\n\n| setting | %s | central | crowd | difference, %% | |\n|---:|---:|---:|---:|---:|---|\n", sweep.title, sweep.column)
		for i, v := range sweep.values {
			a, _ := r.Series(i, "crowd", MetricValue)
			b, _ := r.Series(i, "central", MetricValue)
			d := Paired(a, b)
			scale := 100 / Of(b).Mean
			verdict := map[int]string{1: "crowds win", 0: "no difference shown", -1: "**crowds lose**"}[d.Sign()]
			s.say("| %.3g | %s | %s | %s | %+.2f ±%.2f | %s |\n", v, sweep.also(v), digits(Of(b).Mean), digits(Of(a).Mean), d.Mean*scale, d.Half*scale, verdict)
		}
	}
	return nil
}

// gaps measures how much of what is to be had each policy has.
func (s *Standards) gaps(ctx context.Context) error {
	names := []string{"load-1.3", "load-2", "load-4"}
	x := Experiment{
		Scenarios: scenarios(names...), Seeds: s.few(12),
		Policies: []string{"none", "static", "central", "isolated", "crowd", "crowd@2", "linked", "dcaf"},
	}
	r, err := s.run(ctx, x)
	if err != nil {
		return err
	}
	s.say("\n## The share of what is to be had\n\nvalue_gap_share is (value - best static levels) / (oracle - best static levels), %d seeds; the target is 0.8. "+
		"The oracle is a bound, not a policy: a knapsack over 10 s with every request's true cost and value, no waiting, cores always busy (`oracle.go`).\n", x.Seeds)
	for i, name := range names {
		s.say("\n### %s\n\n%s\n", name, r.Plan(i).Describe())
		s.table(r, i, MetricValue, MetricGapShare, MetricP99, MetricTimeouts, MetricDepth, MetricCPU)
	}
	return s.ladder(ctx, r)
}

// ladder takes from the oracle what no engine has, step by step.
func (s *Standards) ladder(ctx context.Context, r *Results) error {
	seeds := s.few(3)
	steps := []struct {
		name string
		o    Oracle
	}{
		{"the oracle", Oracle{Share: 1}},
		{"… with cores at most 85 % busy, room for waiting", Oracle{Share: 0.85}},
		{"… and not knowing a user's value beyond what load tells, nor the noise", Oracle{Share: 0.85, Blind: true}},
	}
	got := make([][]float64, len(steps)*len(r.Scenarios))
	var jobs []func()
	for k, step := range steps {
		for i := range r.Scenarios {
			at := k*len(r.Scenarios) + i
			got[at] = make([]float64, seeds)
			for seed := range seeds {
				jobs = append(jobs, func() { got[at][seed] = step.o.Bound(&r.Scenarios[i], uint64(seed+1)) })
			}
		}
	}
	if err := parallel(ctx, s.Workers, jobs); err != nil {
		return err
	}
	exact := make([]Scenario, len(r.Scenarios))
	for i, w := range r.Scenarios {
		exact[i] = w
		exact[i].Exact = true
	}
	more, err := s.run(ctx, Experiment{Scenarios: exact, Policies: []string{"crowd"}, Seeds: seeds, NoGap: true})
	if err != nil {
		return err
	}
	s.say("\n### What eats the rest\n\nValue when the oracle is made to live as engines do, step by step (%d seeds), down to the crowd loop and the best static levels; in brackets the share of the gap between static and oracle.\n\n| |", seeds)
	for i := range r.Scenarios {
		s.say(" %s |", r.Scenarios[i].Name)
	}
	s.say("\n|---|%s\n", strings.Repeat("---:|", len(r.Scenarios)))
	line := func(name string, value func(i int) float64) {
		s.say("| %s |", name)
		for i := range r.Scenarios {
			top, base := Of(got[i]).Mean, 0.0
			if v, ok := r.Series(i, "static", MetricValue); ok {
				base = Of(v[:seeds]).Mean
			}
			s.say(" %s (%.2f) |", digits(value(i)), (value(i)-base)/(top-base))
		}
		s.say("\n")
	}
	for k, step := range steps {
		line(step.name, func(i int) float64 { return Of(got[k*len(r.Scenarios)+i]).Mean })
	}
	line("… and giving every request the same levels, chosen jointly over all points; nobody waits or is lost", func(i int) float64 {
		p := r.Plan(i)
		worth, _ := p.fluid.at(p.fluid.best(nominal*p.Scenario.meanLoad(), 0.85))
		return worth
	})
	line("crowd in a world where load predicts demand exactly (R² 1)", func(i int) float64 {
		v, _ := more.Series(i, "crowd", MetricValue)
		return Of(v).Mean
	})
	for _, p := range []string{"linked", "crowd@2", "crowd", "isolated", "central", "static"} {
		line(p, func(i int) float64 {
			v, _ := r.Series(i, p, MetricValue)
			return Of(v[:seeds]).Mean
		})
	}
	s.say("\nThe steps between the rows say what eats it. First the room that waiting needs. Then knowledge that a loop on RT does not have and does not use: " +
		"which user is worth more, and what chance will do to a request. Then choosing by load at all. What is left down to the crowd loop is its own: " +
		"it holds one T a point whatever the others do (`linked` is the same loop with T taken from levels chosen jointly over the points for this load, as an allocation table gives them; " +
		"`crowd@2` has a higher T), crowds share RT equally instead of by marginal value, and work that the point below cuts off is not seen. " +
		"A better predictor is worth the row of R² 1 less the row of crowd. Level granularity costs nothing: crowds dither between levels. " +
		"The first two parts cannot be had by regulating RT; weighting by user value (quota) takes some of the second.\n")
	return nil
}

// worlds plays everything else.
func (s *Standards) worlds(ctx context.Context) error {
	names := []string{"midnight", "news", "bursts", "retries", "fifo", "io", "slow", "delay", "outage"}
	x := Experiment{Scenarios: scenarios(names...), Seeds: s.few(2)}
	for _, p := range Policies() {
		if !strings.HasPrefix(p.Name, "quota-") { // its kin have a part of their own
			x.Policies = append(x.Policies, p.Name)
		}
	}
	r, err := s.run(ctx, x)
	if err != nil {
		return err
	}
	s.say("\n## Other worlds\n\n%d seeds. Timeouts count refused and failed calls. The limiters, DCAF, the PID on CPU and the autoscaler are baselines written for this comparison from their published laws: "+
		"limiter libraries for Go read the wall clock inside and cannot run in virtual time. The autoscaler is the only one that may buy cores; `cores` says how many.\n", x.Seeds)
	for i, w := range x.Scenarios {
		s.say("\n### %s\n\n%s\n", w.Name, w.About)
		m := []string{MetricValue, MetricP99, MetricTimeouts, MetricDepth, MetricNeedless, MetricCut, MetricChurn, MetricCores}
		if w.Event > 0 {
			m = append(m, MetricSettle)
		}
		s.table(r, i, m...)
	}
	return nil
}

package lab

import "context"

// quotas shows the quota law by itself, then in the engine.
func (s *Standards) quotas(ctx context.Context) error {
	worlds := groupWorlds()
	laws := []string{"quota", "quota-linear"}
	r, err := s.run(ctx, Experiment{Scenarios: worlds, Policies: laws, Seeds: s.Seeds, NoGap: true})
	if err != nil {
		return err
	}
	s.say("\n## The quota law, untuned\n\nA quota group by itself (`group.go`), default gains, Poisson arrivals, %d seeds, the production rule of `server/quota`: the log law, and beside it the linear law (the form of the article this follows) as it comes. "+
		"Base overshoot: how far the base quota passes its final value, target at most 10 %%. Sum: the window's highest sum beside what an ideal actuator with the same delay reaches, target at most 1.1. "+
		"Settled: dead times (window/2 + delay, 0.8 s) until the base stays within 5 %%, target at most 6. Swing: peak to peak over the last 10 s; oscillation is more than 6 %%. Means, and the worst seed in brackets.\n\n"+
		"| change | overshoot, log | sum | settled | swing | overshoot, linear | sum | settled | swing |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n", s.Seeds)
	for i, w := range worlds {
		s.say("| %s |", w.About[len("a quota group by itself: "):])
		for _, law := range laws {
			for _, m := range []string{MetricOvershoot, MetricPeak, MetricTheta, MetricSwing} {
				v, ok := r.Series(i, law, m)
				if !ok {
					s.say(" - |")
					continue
				}
				worst := 0.0
				for _, x := range v {
					worst = max(worst, x)
				}
				s.say(" %s (%s) |", short3(Of(v).Mean), short3(worst))
			}
		}
		s.say("\n")
	}
	if err := s.surge(ctx); err != nil {
		return err
	}
	return s.weights(ctx)
}

// surge is the seed's news event: what else could have been done.
func (s *Standards) surge(ctx context.Context) error {
	x := Experiment{
		Scenarios: scenarios("surge"), Seeds: s.few(5), NoGap: true,
		Policies: []string{"none", "quota", "quota-linear", "quota-cpu-1s", "quota-cpu-5s", "aimd", "gradient2", "codel", "autoscaler", "crowd"},
	}
	r, err := s.run(ctx, x)
	if err != nil {
		return err
	}
	s.say("\n## A news surge: quota beside what else could be done\n\n%s; %d seeds. `none` is a fixed quota; aimd, gradient2 and codel only shed; quota-cpu is the same PID with the same handles on CPU, sampled every 1 or 5 s and seen one sample late. "+
		"Budgets are what the production calibrator reads off at 70 %% CPU under the planned peak. timeout_rate is all failed requests.\n", x.Scenarios[0].About, x.Seeds)
	s.table(r, 0, MetricTimeouts, MetricValue, MetricP99, MetricCandidates, MetricCPU, MetricCores)
	s.differences(r, 0, "quota", "none", "quota-cpu-1s", "quota-cpu-5s", "gradient2", "autoscaler")
	return nil
}

// weights compares ways to divide one budget.
func (s *Standards) weights(ctx context.Context) error {
	x := Experiment{
		Scenarios: scenarios("weights", "weights-wrong"), Seeds: s.few(10), NoGap: true,
		Policies: []string{"quota-equal", "quota", "quota-dcaf"},
	}
	r, err := s.run(ctx, x)
	if err != nil {
		return err
	}
	s.say("\n## Who is given the candidates\n\n%s; %d seeds. One budget of CPU, divided equally, by weights of 0.5 to 1.5 with mean 1, and by DCAF's price over gain curves by value bucket. "+
		"Each is calibrated to the same CPU under its own way of dividing: users of high value also have heavier requests, so that a weighted candidate costs more than an equal one; sn_cpu shows how equal the cost came out.\n", x.Scenarios[0].About, x.Seeds)
	for i, title := range []string{"Value predicts gain", "It does not: the values told are other users'"} {
		s.say("\n### %s\n", title)
		s.table(r, i, MetricValue, MetricCandidates, MetricCPU, MetricP99, MetricTimeouts)
		s.differences(r, i, "quota", "quota-equal")
		s.differences(r, i, "quota-dcaf", "quota-equal")
	}
	return nil
}

// differences writes how a policy's value and losses differ from others', paired.
func (s *Standards) differences(r *Results, scenario int, policy string, others ...string) {
	s.say("\n")
	for _, o := range others {
		a, _ := r.Series(scenario, policy, MetricValue)
		b, _ := r.Series(scenario, o, MetricValue)
		v := Paired(a, b)
		a, _ = r.Series(scenario, policy, MetricTimeouts)
		c, _ := r.Series(scenario, o, MetricTimeouts)
		l := Paired(a, c)
		scale := 100 / Of(b).Mean
		s.say("- %s - %s: value %+.2f ±%.2f %%, failed %+.2f ±%.2f points\n", policy, o, v.Mean*scale, v.Half*scale, 100*l.Mean, 100*l.Half)
	}
}

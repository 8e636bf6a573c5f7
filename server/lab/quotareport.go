package lab

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// surgePolicies are what a news surge is met with, ours first after the fixed quota.
var surgePolicies = []string{"none", "quota", "quota-linear", "quota-cpu-1s", "quota-cpu-5s", "aimd", "gradient2", "codel", "autoscaler", "crowd"}

// QuotaReport plays everything that is published of quota: the law by itself, a
// news surge beside what else could be done, and ways to divide one budget. It
// writes a page and, to plot, courses and intervals as SVG.
func QuotaReport(ctx context.Context, workers, seeds int, progress func(done, total int, what string), page, plot io.Writer) error {
	s := &Standards{Seeds: seeds, Workers: workers, Progress: progress, names: []string{"law", "surge", "weights"}}
	s.say("# Quota in the lab\n\nMade by `allspark lab quota --seeds %d`. Do not edit: run it again.\n\n"+
		"The production rules of `server/quota` (window, PID, weights, prices, calibrator) in virtual time. "+
		"All policies see the same requests, machines and noise; ± is a 95 %% interval over seeds, and differences are paired by seed. "+
		"Value is what answers earned, as a share of what full answers to everybody would earn. `quota.svg` draws the surge second by second, and the intervals.\n", seeds)
	if err := s.quotaLaw(ctx); err != nil {
		return err
	}
	s.part++
	surge, err := s.surge(ctx)
	if err != nil {
		return err
	}
	s.part++
	shares, err := s.weights(ctx)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(page, s.out.String()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if err := plotQuota(plot, surge, shares); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

// quotaLaw shows the law by itself.
func (s *Standards) quotaLaw(ctx context.Context) error {
	worlds := groupWorlds()
	laws := []string{"quota", "quota-linear"}
	r, err := s.run(ctx, Experiment{Scenarios: worlds, Policies: laws, Seeds: s.Seeds, NoGap: true})
	if err != nil {
		return err
	}
	s.say("\n## The law, untuned\n\nA quota group by itself (`group.go`), default gains, Poisson arrivals, %d seeds: the log law, and beside it the linear law (the form of the article this follows) as it comes. "+
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
				s.say(" %s (%s) |", short3(Of(v).Mean), short3(slices.Max(v)))
			}
		}
		s.say("\n")
	}
	return nil
}

// surge is the news event of the article: what else could have been done.
func (s *Standards) surge(ctx context.Context) (*Results, error) {
	r, err := s.run(ctx, Experiment{Scenarios: scenarios("surge"), Seeds: s.Seeds, NoGap: true, Policies: surgePolicies})
	if err != nil {
		return nil, err
	}
	s.say("\n## A news surge: quota beside what else could be done\n\n%s; %d seeds. `none` is a fixed quota; aimd, gradient2 and codel only shed; quota-cpu is the same PID with the same handles on CPU, sampled every 1 or 5 s and seen one sample late. "+
		"Budgets are what the production calibrator reads off at 70 %% CPU under the planned peak. timeout_rate is all failed requests.\n", r.Scenarios[0].About, s.Seeds)
	s.table(r, 0, MetricTimeouts, MetricValue, MetricP99, MetricCandidates, MetricCPU, MetricCores)
	s.differences(r, 0, "quota", surgePolicies...)
	return r, nil
}

// weights compares ways to divide one budget.
func (s *Standards) weights(ctx context.Context) (*Results, error) {
	r, err := s.run(ctx, Experiment{
		Scenarios: scenarios("weights", "weights-wrong"), Seeds: s.Seeds, NoGap: true,
		Policies: []string{"quota-equal", "quota", "quota-dcaf"},
	})
	if err != nil {
		return nil, err
	}
	s.say("\n## Who is given the candidates\n\n%s; %d seeds. One budget of CPU, divided equally, by weights of 0.5 to 1.5 with mean 1, and by DCAF's price over gain curves by value bucket. "+
		"Each is calibrated to the same CPU under its own way of dividing: users of high value also have heavier requests, so that a weighted candidate costs more than an equal one; sn_cpu shows how equal the cost came out.\n", r.Scenarios[0].About, s.Seeds)
	for i, title := range shareTitles {
		s.say("\n### %s\n", title)
		s.table(r, i, MetricValue, MetricCandidates, MetricCPU, MetricP99, MetricTimeouts)
		s.differences(r, i, "quota", "quota-equal", "quota-dcaf")
		s.differences(r, i, "quota-dcaf", "quota-equal")
	}
	return r, nil
}

// shareTitles name the two worlds of weights.
var shareTitles = []string{"Value predicts gain", "It does not: the values told are other users'"}

// differences writes how a policy's value and losses differ from others', paired.
func (s *Standards) differences(r *Results, scenario int, policy string, others ...string) {
	s.say("\n")
	for _, o := range others {
		if o == policy {
			continue
		}
		v, l := r.difference(scenario, policy, o)
		s.say("- %s - %s: value %+.2f ±%.2f %%, failed %+.2f ±%.2f points\n", policy, o, v.Mean, v.Half, l.Mean, l.Half)
	}
}

// difference is how much more value a policy earns than another, in percent of
// the other's, and how many more requests fail, in points; paired by seed.
func (r *Results) difference(scenario int, policy, other string) (value, failed Interval) {
	pair := func(metric string, scale func(other []float64) float64) Interval {
		a, _ := r.Series(scenario, policy, metric)
		b, _ := r.Series(scenario, other, metric)
		d, k := Paired(a, b), scale(b)
		d.Mean, d.Half = d.Mean*k, d.Half*k
		return d
	}
	return pair(MetricValue, func(b []float64) float64 { return 100 / Of(b).Mean }), pair(MetricTimeouts, func([]float64) float64 { return 100 })
}

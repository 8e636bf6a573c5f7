package lab

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Experiment is scenarios x policies x seeds.
type Experiment struct {
	Scenarios []Scenario
	Policies  []string
	Seeds     int // 1..Seeds
	// Offset moves the seeds to Offset+1..Offset+Seeds.
	Offset  uint64
	Workers int // 0: one a core
	// NoGap leaves out the best static levels, the oracle and value_gap_share.
	NoGap bool
	// Progress is told after each run; it may be called from several goroutines,
	// one at a time.
	Progress func(done, total int, what string)
}

// Row is one measurement.
type Row struct {
	Scenario, Policy string
	Seed             uint64
	Metric           string
	Value            float64
}

// Results are an experiment's measurements, in order of scenario, policy, seed
// and metric: the same whatever ran in parallel.
type Results struct {
	Scenarios []Scenario
	Policies  []string
	Seeds     int
	plans     []*Plan
	runs      map[runKey]Outcomes
}

type runKey struct {
	scenario int
	policy   string
	seed     uint64
}

// Run plays the experiment. The best static levels and the oracle are worked out
// for every scenario, whether or not they are asked for: value_gap_share is
// measured between them, seed by seed.
func (x *Experiment) Run(ctx context.Context) (*Results, error) {
	for _, p := range x.Policies {
		if _, ok := FindPolicy(p); !ok {
			return nil, fmt.Errorf("there is no policy %q; there are %s", p, names(Policies(), func(p PolicyInfo) string { return p.Name }))
		}
	}
	if x.Seeds < 1 || x.Seeds > 1000 {
		return nil, fmt.Errorf("seeds want 1 to 1000, got %d", x.Seeds)
	}
	res := &Results{Scenarios: x.Scenarios, Policies: x.Policies, Seeds: x.Seeds, runs: map[runKey]Outcomes{}, plans: make([]*Plan, len(x.Scenarios))}
	run := slices.Clone(x.Policies)
	if !x.NoGap {
		if !slices.Contains(run, "static") {
			run = append(run, "static")
		}
		run = append([]string{"oracle"}, run...)
	}
	tell := &teller{to: x.Progress}
	var first, second []func()
	for i := range x.Scenarios {
		res.plans[i] = NewPlan(x.Scenarios[i])
		if slices.Contains(run, "static") && x.Scenarios[i].Group == nil {
			first = append(first, func() {
				res.plans[i].best()
				tell.did(x.Scenarios[i].Name + ": searched static levels")
			})
		}
		for seed := uint64(1); seed <= uint64(x.Seeds); seed++ {
			for _, p := range run {
				if x.Scenarios[i].Group != nil && p == "oracle" {
					continue
				}
				second = append(second, func() {
					var o Outcomes
					if p == "oracle" {
						o = Outcomes{MetricOracle: Oracle{Share: 1}.Bound(&x.Scenarios[i], x.Offset+seed)}
					} else {
						o = res.plans[i].Run(p, x.Offset+seed)
					}
					tell.mu.Lock()
					res.runs[runKey{i, p, seed}] = o
					tell.mu.Unlock()
					tell.did(fmt.Sprintf("%s: %s, seed %d", x.Scenarios[i].Name, p, seed))
				})
			}
		}
	}
	tell.total = len(first) + len(second)
	for _, jobs := range [][]func(){first, second} {
		if err := parallel(ctx, x.Workers, jobs); err != nil {
			return nil, err
		}
	}
	if !x.NoGap {
		res.gaps(run[1:])
	}
	return res, nil
}

// gaps works out value_gap_share of every run.
func (r *Results) gaps(policies []string) {
	for i := range r.Scenarios {
		if r.Scenarios[i].Group != nil {
			continue
		}
		for seed := uint64(1); seed <= uint64(r.Seeds); seed++ {
			top := r.runs[runKey{i, "oracle", seed}][MetricOracle]
			base := r.runs[runKey{i, "static", seed}][MetricValue]
			for _, p := range policies {
				o := r.runs[runKey{i, p, seed}]
				o[MetricOracle] = top
				if top > base {
					o[MetricGapShare] = (o[MetricValue] - base) / (top - base)
				}
			}
		}
	}
}

// Series gives a metric of a policy by seed; ok is false when it does not apply.
func (r *Results) Series(scenario int, policy, metric string) (values []float64, ok bool) {
	for seed := uint64(1); seed <= uint64(r.Seeds); seed++ {
		v, has := r.runs[runKey{scenario, policy, seed}][metric]
		if !has {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

// Rows lists everything measured.
func (r *Results) Rows() []Row {
	var rows []Row
	for i := range r.Scenarios {
		for _, p := range r.Policies {
			for seed := uint64(1); seed <= uint64(r.Seeds); seed++ {
				for _, m := range Metrics() {
					if v, ok := r.runs[runKey{i, p, seed}][m]; ok {
						rows = append(rows, Row{r.Scenarios[i].Name, p, seed, m, v})
					}
				}
			}
		}
	}
	return rows
}

// Plan gives what was searched for a scenario.
func (r *Results) Plan(scenario int) *Plan { return r.plans[scenario] }

type teller struct {
	mu          sync.Mutex
	done, total int
	to          func(done, total int, what string)
}

func (t *teller) did(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if t.to != nil {
		t.to(t.done, t.total, what)
	}
}

// parallel runs jobs on so many workers; each job is deterministic by itself.
func parallel(ctx context.Context, workers int, jobs []func()) error {
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	next := make(chan func())
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for job := range next {
				job()
			}
		})
	}
	for _, job := range jobs {
		if ctx.Err() != nil {
			break
		}
		next <- job
	}
	close(next)
	wg.Wait()
	return ctx.Err()
}

func names[T any](list []T, name func(T) string) string {
	var s []string
	for _, x := range list {
		s = append(s, name(x))
	}
	return strings.Join(s, ", ")
}

package lab

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/template"
)

// Trials play experiments whose truth is known: a population of users asks a point
// for an hour, what they earn differs between arms by a planted lift, and the
// experiment's own claims, orders, agent, meter and estimator are asked what they
// see.
type Trials struct {
	Runs     int
	Users    int    // of the population; 0 is TrialUsers
	Offset   uint64 // seeds begin after this one
	Lifts    []float64
	Workers  int
	Progress func(done, total int, what string)
}

// The population of a trial.
const (
	// TrialUsers is the usual number of them.
	TrialUsers = 40_000
	trialLooks = 12 // in the hour: whoever watches the page
	// activitySD is that of ln(requests of a user): a tenth of users asks for half.
	activitySD = 1.0
	askMean    = 6.0 // requests of a user in the hour
	// noiseSD is that of ln(value of a request) at a user: clicks are rare.
	noiseSD = 0.8
)

// Trial is what one run found.
type Trial struct {
	Lift              float64 // planted
	Once              Verdict // the interval of one look, at the end
	Anytime           Verdict // the always-valid one, at the end
	PeekOnce, PeekAny bool    // one of the looks excluded no lift
	Requests, Minutes Verdict // the same end with requests, or minutes, as the unit
	Ratio             float64 // p of the sample ratio
	RatioPlain        float64 // of Pearson's chi-squared as it stands
	RatioLost         float64 // p where a tenth of one arm's requests is lost
	RTOnce            Verdict // of RT, whose planted lift is half of value's, the other way
}

// Verdict is an interval held against the truth.
type Verdict struct {
	Covers bool
	Found  bool    // excludes no lift
	Half   float64 // half its width
}

func verdict(low, high, truth float64) Verdict {
	return Verdict{low <= truth && truth <= high, low > 0 || high < 0, (high - low) / 2}
}

// Run plays all trials.
func (x *Trials) Run(ctx context.Context) ([]Trial, error) {
	users := x.Users
	if users == 0 {
		users = TrialUsers
	}
	out := make([]Trial, x.Runs*len(x.Lifts))
	tell := &teller{to: x.Progress, total: len(out)}
	var jobs []func()
	for l, lift := range x.Lifts {
		for i := range x.Runs {
			jobs = append(jobs, func() {
				out[l*x.Runs+i] = trial(lift, x.Offset+uint64(i)+1, users)
				tell.did(fmt.Sprintf("lift %g, run %d", lift, i+1))
			})
		}
	}
	return out, parallel(ctx, x.Workers, jobs)
}

// trialExperiment is at the point in front, at two levels.
func trialExperiment() *experiment.Experiment {
	at := control.Scope{Scene: gear.Any, IDC: gear.Any, App: "merger", Point: "merge", Bucket: gear.Any}
	return &experiment.Experiment{
		ID: "trial", Name: "trial", Reason: "known truth", Scope: at, Measure: experiment.Place{App: at.App, Point: at.Point},
		Duration: time.Hour, Arms: []experiment.Arm{
			{Name: "control", Slices: gear.Slices / 2, Strategy: gear.StrategyFixed, Level: 4},
			{Name: "more", Slices: gear.Slices / 2, Strategy: gear.StrategyFixed, Level: 8},
		},
	}
}

// divided makes an agent's box that obeys the experiment.
func divided(x *experiment.Experiment, m *meter.Meter) (*gearbox.Box, int) {
	model := Standard(1)
	g := gears[Merge]
	v := &template.Version{TemplateID: "t", Number: 1, Spec: *specOf(&model.Points[Merge], g.levels, g.initial, g.how, g.anchors, g.models)}
	claims := experiment.Claims(x, Midnight, Midnight.Add(x.Duration))
	for i, c := range claims {
		c.ID, c.CreatedAt = strconv.Itoa(i), Midnight
	}
	d := control.Decide(control.Input{
		App: x.Scope.App, IDC: "sh", Points: []string{x.Scope.Point}, Now: Midnight, Claims: claims, Names: map[string]string{"t": "merge"},
		Bindings: []*template.Binding{{ID: "b", TemplateID: "t", Template: "merge", Selector: template.Selector{Scene: gear.Any, IDC: gear.Any, App: x.Scope.App, Point: x.Scope.Point}}},
		Versions: map[string]map[int]*template.Version{"t": {0: v, 1: v}},
	})
	box := gearbox.New(gearbox.Config{App: x.Scope.App, IDC: "sh", Meter: m})
	point := box.Declare(gearbox.Point{PointDecl: gear.PointDecl{Name: x.Scope.Point, Params: model.Points[Merge].Params}})
	ps := box.AddTables(d.Tables)
	if ack := box.Apply(&d.Set); ack.Refused || len(ps) > 0 {
		panic(fmt.Sprint("lab: the agent refuses the experiment: ", ps, ack.Problems)) // constants of the program
	}
	return box, point
}

func trial(lift float64, seed uint64, population int) Trial {
	x := trialExperiment()
	m := meter.New()
	box, point := divided(x, m)
	entry := box.Load().Entry(point, 0)
	users := newTrialUsers(seed, population)
	rng := NewStream(seed, "trial", "requests")
	out := Trial{Lift: lift}
	blocks := []*experiment.Blocks{{}, {}}
	var plain [2]moments
	var byLook [2][]experiment.Block
	ranges := experiment.Ranges(x.Arms)
	for range trialLooks {
		for u := range users {
			user := &users[u]
			for range rng.poisson(user.rate / trialLooks) {
				rule := entry.Buckets.Pick(user.key)
				arm := 0
				earned := user.value * math.Exp(noiseSD*normal[cell(rng.Uint64())]-noiseSD*noiseSD/2)
				rt := 8e6 * user.slow * math.Exp(0.3*normal[cell(rng.Uint64())])
				if meter.LevelOf(rule.Row.Level) == x.Arms[1].Level {
					arm, earned, rt = 1, earned*(1+lift), rt*(1-lift/2)
				}
				outcome := meter.OK
				if rt > 20e6 {
					outcome = meter.Timeout
				}
				entry.Cell.Record(rule.Row.Level, outcome, time.Duration(rt), 1, earned)
				plain[arm].add(earned)
			}
		}
		look := take(m, ranges)
		for i := range blocks {
			blocks[i].Add(look[i])
			byLook[i] = append(byLook[i], look[i].Total())
		}
		if l, ok := experiment.Compare(blocks[1], blocks[0], experiment.MetricValue); ok {
			out.PeekOnce = out.PeekOnce || l.Relative.Excludes(0) != 0
			out.PeekAny = out.PeekAny || l.Anytime.Excludes(0) != 0
			out.Once, out.Anytime = verdict(l.Relative.Low, l.Relative.High, lift), verdict(l.Anytime.Low, l.Anytime.High, lift)
		}
	}
	if l, ok := experiment.Compare(blocks[1], blocks[0], experiment.MetricRT); ok {
		out.RTOnce = verdict(l.Relative.Low, l.Relative.High, -lift/2)
	}
	out.Requests = naive(plain[1].ratio(), plain[0].ratio(), lift)
	out.Minutes = naive(overTime(byLook[1]), overTime(byLook[0]), lift)
	out.ratios(blocks, ranges)
	return out
}

// ratios checks how traffic divided, as it did and as it would with a tenth lost.
func (t *Trial) ratios(blocks []*experiment.Blocks, ranges []experiment.Range) {
	if s, ok := experiment.SampleRatioOf(blocks, ranges); ok {
		t.Ratio = s.P
		t.RatioPlain = experiment.FTail(s.Chi2, 1, 1e8) // as good as infinite
	}
	lost := *blocks[1]
	for k := range lost {
		lost[k].Requests = math.Round(0.9 * lost[k].Requests)
	}
	if s, ok := experiment.SampleRatioOf([]*experiment.Blocks{blocks[0], &lost}, ranges); ok {
		t.RatioLost = s.P
	}
}

// take gives each arm's blocks of what the meter counted.
func take(m *meter.Meter, ranges []experiment.Range) []*experiment.Blocks {
	out := make([]*experiment.Blocks, len(ranges))
	for i := range out {
		out[i] = new(experiment.Blocks)
	}
	reports := m.DrainBuckets()
	for i := range reports {
		for a, r := range ranges {
			if r.Bucket() == reports[i].Bucket {
				out[a].Add(experiment.BlocksOf(&reports[i]))
			}
		}
	}
	return out
}

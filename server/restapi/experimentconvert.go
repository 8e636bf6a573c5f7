package restapi

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fault"
)

// fromExperiment reads the input; the room checks what it means.
func fromExperiment(in *api.ExperimentInput) (*experiment.Experiment, error) {
	var ps gear.Problems
	read := func(path, text string) time.Duration {
		d, ok := gear.ParseDuration(text)
		if !ok && text != "" {
			ps.Add(path, gear.CodeType, path+` wants a duration like "8ms", got "`+gear.Shown(text)+`"`)
		}
		return d
	}
	x := &experiment.Experiment{
		Name: in.Name, Reason: in.Reason, Measure: experiment.Place{App: in.Measure.App, Point: in.Measure.Point}, Duration: read("duration", in.Duration),
		Scope: control.Scope{Scene: in.Scope.Scene, IDC: in.Scope.IDC, App: in.Scope.App, Point: in.Scope.Point, Bucket: gear.Any},
	}
	// Before anything is authorised: a blank field means all.
	for _, f := range []*string{&x.Scope.Scene, &x.Scope.IDC, &x.Scope.App, &x.Scope.Point} {
		if *f == "" {
			*f = gear.Any
		}
	}
	for i := range in.Arms {
		a := &in.Arms[i]
		x.Arms = append(x.Arms, experiment.Arm{
			Name: a.Name, Slices: int(math.Round(a.Share * gear.Slices / 100)), Strategy: gear.Strategy(a.Strategy), Level: a.Level,
			AvailableRT: read(fmt.Sprintf("arms[%d].available_rt", i), a.AvailableRT),
		})
	}
	if len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the experiment is not valid")
	}
	return x, nil
}

func toExperiment(x *experiment.Experiment) api.Experiment {
	out := api.Experiment{
		ID: x.ID, Name: x.Name, Reason: x.Reason, State: string(x.State), Measure: api.ScenePlace{App: x.Measure.App, Point: x.Measure.Point},
		Scope:    api.ExperimentScope{Scene: x.Scope.Scene, IDC: x.Scope.IDC, App: x.Scope.App, Point: x.Scope.Point},
		Duration: x.Duration.String(), Same: x.AA(), StartedAt: when(x.StartedAt), StartedBy: x.StartedBy, EndsAt: when(x.EndsAt),
		EndedAt: when(x.EndedAt), EndedBy: x.EndedBy, Ending: x.Ending, CreatedBy: x.CreatedBy, CreatedAt: x.CreatedAt, UpdatedAt: x.UpdatedAt, Version: x.Version,
	}
	for i := range x.Arms {
		a := &x.Arms[i]
		arm := api.ExperimentArm{Name: a.Name, Share: float64(a.Slices) * 100 / gear.Slices, Strategy: string(a.Strategy), Level: a.Level}
		if a.AvailableRT > 0 {
			arm.AvailableRT = a.AvailableRT.String()
		}
		out.Arms = append(out.Arms, arm)
	}
	return out
}

func toResult(r *experiment.Result) api.ExperimentResult {
	out := api.ExperimentResult{Step: r.Step.String(), Final: r.Final, Arms: []api.ExperimentArmResult{}, Series: []api.ExperimentPoint{}, Overrides: []api.Claim{}}
	for i := range r.Arms {
		a := &r.Arms[i]
		x := api.ExperimentArmResult{Arm: a.Arm.Name, Bucket: a.Range.Bucket(), Measure: toFigures(&a.Measure), Lifts: []api.ExperimentLift{}}
		if a.Scope != nil {
			f := toFigures(a.Scope)
			x.Scope = &f
		}
		for k := range a.Lifts {
			x.Lifts = append(x.Lifts, toLift(&a.Lifts[k], r.Final))
		}
		out.Arms = append(out.Arms, x)
	}
	for i := range r.Series {
		p := &r.Series[i]
		x := api.ExperimentPoint{At: p.At, Lifts: make([]*api.ExperimentInterval, len(p.Lift))}
		for k := range p.Arms {
			x.Arms = append(x.Arms, toFigures(&p.Arms[k]))
		}
		for k, l := range p.Lift {
			if l != nil {
				x.Lifts[k] = toInterval(l.Counts(r.Final))
			}
		}
		out.Series = append(out.Series, x)
	}
	if q := r.Ratio; q != nil {
		out.Ratio = &api.ExperimentRatio{Expected: q.Expected, Observed: q.Observed, Chi2: q.Chi2, Design: q.Design, P: q.P, Mismatch: q.Mismatch()}
	}
	return out
}

func toFigures(f *experiment.Figures) api.ExperimentFigures {
	return api.ExperimentFigures{
		Requests: f.Requests, Timeouts: f.Timeouts, Errors: f.Errors, Shed: f.Shed, Value: f.Value,
		MeanMS: ms(f.MeanRT), P50MS: ms(f.P50), P99MS: ms(f.P99), TimeoutRate: f.TimeoutRate, Level: f.Level,
	}
}

func toInterval(i *experiment.Interval) *api.ExperimentInterval {
	if i == nil {
		return nil
	}
	return &api.ExperimentInterval{Estimate: i.Estimate, Low: i.Low, High: i.High}
}

func toLift(l *experiment.Lift, final bool) api.ExperimentLift {
	unit := 1.0
	if l.Metric == experiment.MetricRT {
		unit = 1000 // µs to ms
	}
	return api.ExperimentLift{
		Metric: string(l.Metric), Lift: toInterval(l.Relative), Anytime: toInterval(l.Anytime), Freedom: l.Freedom, Verdict: string(l.Verdict(final)),
		Difference: api.ExperimentInterval{Estimate: l.Diff.Estimate / unit, Low: l.Diff.Low / unit, High: l.Diff.High / unit},
	}
}

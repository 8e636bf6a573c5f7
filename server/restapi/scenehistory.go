package restapi

import (
	"context"
	"net/http"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/telemetry"
)

// maxSteps bounds one answer, as it does of a point's history.
const maxSteps = 10_080

type sceneRange struct {
	ScenePath
	IDC  string    `query:"idc" required:"true" maxLength:"63" doc:"Machine room." example:"ea119"`
	From time.Time `query:"from" doc:"An hour before to by default."`
	To   time.Time `query:"to" doc:"Now by default."`
	Step string    `query:"step" enum:"auto,minute,hour" default:"auto" doc:"Distance of samples; auto is by minute up to two days."`
}

// sceneHistory joins what was measured, out of history, with what was aimed at, out
// of the claims: they are kept anyway, so nothing is written for it.
func (s *Server) sceneHistory(ctx context.Context, c *caller, in *sceneRange) (*plain[api.SceneHistory], error) {
	x, err := s.deps.Scenes.Get(ctx, in.Scene)
	if err != nil {
		return nil, err
	}
	from, to, err := s.span(ctx, in.From, in.To, time.Hour)
	if err != nil {
		return nil, err
	}
	step := time.Minute
	if in.Step == "hour" || in.Step == "auto" && to.Sub(from) > 48*time.Hour {
		step = time.Hour
	}
	if from = from.UTC().Truncate(step); to.Sub(from)/step > maxSteps {
		return nil, newFailure(http.StatusBadRequest, "", "the range has more than 10,080 samples; take step=hour or a shorter one", "")
	}
	out := api.SceneHistory{
		From: from, To: to, StepMS: step.Milliseconds(), At: []time.Time{}, TargetMS: []float64{}, EffectiveMS: []float64{},
		Gear: []int{}, Steps: []int{}, Nodes: []api.SceneNodeHistory{},
	}
	versions, err := s.deps.Scenes.Versions(ctx, x.ID, 200) // newest first
	if err != nil {
		return nil, err
	}
	if n := len(versions); n > 0 && versions[n-1].Version == 1 {
		for from.Add(step).Before(versions[n-1].UpdatedAt) {
			from = from.Add(step)
		}
	}
	claims, err := s.targetsWithin(ctx, x.Name, in.IDC, from, to)
	if err != nil {
		return nil, err
	}
	if len(versions) == 0 {
		versions = []*scene.Scene{x}
	}
	stands := feedback.NewStands(claims, versions, in.IDC)
	for at := from; at.Before(to); at = at.Add(step) {
		end := at.Add(step)
		if end.After(to) {
			end = to
		}
		then := stands.At(end)
		out.At = append(out.At, at)
		out.TargetMS, out.EffectiveMS = append(out.TargetMS, ms(then.Target)), append(out.EffectiveMS, ms(then.Effective))
		out.Gear, out.Steps = append(out.Gear, then.Step), append(out.Steps, then.Steps)
	}
	if len(out.At) == 0 {
		return &plain[api.SceneHistory]{out}, nil
	}
	series, err := s.deps.History.Range(ctx, telemetry.Filter{Scene: x.Name, IDC: in.IDC}, from, to, step)
	if err != nil {
		return nil, err
	}
	columns := map[scene.Place]api.SceneColumns{}
	for i := range series {
		k := series[i].Key
		if c.sees(k.App, k.IDC) {
			columns[scene.Place{App: k.App, Point: k.Point}] = columnsOf(&series[i], from, len(out.At))
		}
	}
	of := func(p scene.Place) api.SceneColumns {
		if have, ok := columns[p]; ok {
			return have
		}
		return columnsOf(nil, from, len(out.At))
	}
	if c.sees(x.Front.App, in.IDC) {
		front := of(x.Front)
		out.Front = &front
	}
	for i := range x.Graph.Nodes {
		if n := &x.Graph.Nodes[i]; c.sees(n.Place.App, in.IDC) {
			out.Nodes = append(out.Nodes, api.SceneNodeHistory{ID: n.ID, SceneColumns: of(n.Place)})
		}
	}
	return &plain[api.SceneHistory]{out}, nil
}

// targetsWithin gives the claims on a scene's target that counted at some time of a
// range: few among all claims, and found by where they apply.
func (s *Server) targetsWithin(ctx context.Context, name, idc string, from, to time.Time) ([]*control.Claim, error) {
	var out []*control.Claim
	for _, sc := range []control.Scope{{Scene: name, IDC: idc}, {Scene: name, IDC: gear.Any}, {Scene: gear.Any, IDC: idc}, {Scene: gear.Any, IDC: gear.Any}} {
		sc.App, sc.Point = gear.Any, gear.Any
		f := control.ClaimFilter{Scope: sc, Field: control.FieldTarget, From: from, To: to.Add(time.Microsecond), Limit: 500}
		for {
			page, next, err := s.deps.Control.ListClaims(ctx, f)
			if err != nil {
				return nil, err
			}
			if out = append(out, page...); next == "" {
				break
			}
			f.After = next
		}
	}
	return out, nil
}

// versionAt gives the version that stood at t, the oldest kept when all are younger.
func versionAt(x *scene.Scene, newestFirst []*scene.Scene, t time.Time) *scene.Scene {
	for _, v := range newestFirst {
		if x = v; !v.UpdatedAt.After(t) {
			break
		}
	}
	return x
}

func columnsOf(series *telemetry.Series, from time.Time, n int) api.SceneColumns {
	c := api.SceneColumns{
		Count: make([]int64, n), Timeouts: make([]int64, n), RTMeanMS: make([]float64, n),
		RTP50MS: make([]float64, n), RTP95MS: make([]float64, n), RTP99MS: make([]float64, n),
	}
	if series == nil {
		return c
	}
	us := func(v int64) float64 { return float64(v) / 1000 }
	for i := range series.Samples {
		t := &series.Samples[i]
		k := int(t.At.Sub(from) / series.Step)
		if k < 0 || k >= n {
			continue
		}
		c.Count[k], c.Timeouts[k], c.RTMeanMS[k] = t.Count, t.Timeouts, us(t.MeanUS)
		c.RTP50MS[k], c.RTP95MS[k], c.RTP99MS[k] = us(t.P50US), us(t.P95US), us(t.P99US)
	}
	return c
}

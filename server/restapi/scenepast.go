package restapi

import (
	"context"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/telemetry"
)

// sceneMoment names a scene now or at a past minute.
type sceneMoment struct {
	ScenePath
	At time.Time `query:"at" doc:"A past minute: what was measured in it and ordered at its end. Now by default."`
}

// scenePast is a scene as it stood in a minute: measurements out of history, orders
// out of the journal, sources, target and RT gear out of the claims of that minute.
// What only the regulating replica knew then (table, row) is not kept.
func (s *Server) scenePast(ctx context.Context, c *caller, x *scene.Scene, at time.Time) (*plain[api.SceneLive], error) {
	from := at.UTC().Truncate(time.Minute)
	end := from.Add(time.Minute)
	series, err := s.deps.History.Range(ctx, telemetry.Filter{Scene: x.Name}, from, end, time.Minute)
	if err != nil {
		return nil, err
	}
	claims, err := s.deps.Control.ClaimsAt(ctx, end)
	if err != nil {
		return nil, err
	}
	then, err := s.sceneAt(ctx, x, end)
	if err != nil {
		return nil, err
	}
	shifts := map[[2]string]*control.Shift{}
	var points []api.PointState
	for i := range series {
		k := fromKey(series[i].Key)
		if !c.sees(k.App, k.IDC) {
			continue
		}
		p := api.PointState{PointKey: k, Recent: toMinute(&series[i].Samples[0])}
		place := [2]string{k.App, k.IDC}
		shift, known := shifts[place]
		if !known {
			if shift, err = s.deps.Control.ShiftAt(ctx, k.App, k.IDC, end); err != nil && !fault.Is(err, fault.NotFound) {
				return nil, err
			}
			shifts[place] = shift
		}
		if shift != nil {
			if o := control.Lookup(&shift.Set, k.Scene, k.Point, gear.Any); o != nil {
				order := toOrder(*o, shift.Tables)
				p.Order = &order
				p.Source, p.OverrideEnd = levelSource(claims, k)
			}
		}
		points = append(points, p)
	}
	return &plain[api.SceneLive]{api.SceneLive{
		Scene: x.Name, Now: end, Links: s.linksOf(then, points, claims, nil, end), Missing: []api.SceneReason{}, Stale: []api.SceneReason{}, Served: []api.SceneServed{},
	}}, nil
}

// sceneAt gives the version of a scene that stood at t, the oldest kept when all are younger.
func (s *Server) sceneAt(ctx context.Context, x *scene.Scene, t time.Time) (*scene.Scene, error) {
	if !x.UpdatedAt.After(t) {
		return x, nil
	}
	versions, err := s.deps.Scenes.Versions(ctx, x.ID, 200) // newest first
	return versionAt(x, versions, t), err
}

func toMinute(t *telemetry.Timed) *api.Metrics {
	us := func(v int64) float64 { return float64(v) / 1000 }
	m := &api.Metrics{
		At: t.At.Add(time.Minute), WindowMS: ms(time.Minute), Count: t.Count, QPS: t.QPS(time.Minute),
		RTMeanMS: us(t.MeanUS), RTP50MS: us(t.P50US), RTP95MS: us(t.P95US), RTP99MS: us(t.P99US),
		Timeouts: t.Timeouts, Errors: t.Errors, Shed: t.Shed, LevelMean: float64(t.LevelCenti) / 100, LevelMin: int(t.LevelMin), LevelMax: int(t.LevelMax),
		CPU: float64(t.CPUMilli) / 1000, Value: float64(t.ValueMilli) / 1000, Agents: int(t.Agents),
	}
	if t.CPUMilli < 0 {
		m.CPU = -1
	}
	return m
}

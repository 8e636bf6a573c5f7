package restapi

import (
	"context"
	"time"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/telemetry"
)

// Windows is the live part of telemetry, of the agents this replica serves.
type Windows interface {
	Points(f telemetry.Filter, now time.Time) []telemetry.Point
	Agents(k telemetry.Key, now time.Time) []telemetry.AgentPoint
}

// History is the stored part of telemetry.
type History interface {
	// Series reads stored history; step is a minute or an hour.
	Series(ctx context.Context, keys []telemetry.Key, from, to time.Time, step time.Duration) ([]api.Series, error)
}

func toKey(k api.PointKey) telemetry.Key {
	return telemetry.Key{Scene: k.Scene, IDC: k.IDC, App: k.App, Point: k.Point}
}

func fromKey(k telemetry.Key) api.PointKey {
	return api.PointKey{Scene: k.Scene, IDC: k.IDC, App: k.App, Point: k.Point}
}

func toMetrics(r *telemetry.Rollup) *api.Metrics {
	if r == nil {
		return nil
	}
	return &api.Metrics{
		At: r.At, WindowMS: ms(r.Window), Count: r.Count, QPS: r.QPS, RTMeanMS: ms(r.Mean), RTP50MS: ms(r.P50), RTP95MS: ms(r.P95), RTP99MS: ms(r.P99),
		Timeouts: r.Timeouts, Errors: r.Errors, Shed: r.Shed, LevelMean: r.LevelMean, LevelMin: r.LevelMin, LevelMax: r.LevelMax,
		CPU: r.CPU, Value: r.Value, Agents: r.Agents,
	}
}

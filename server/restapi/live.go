package restapi

import (
	"time"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/telemetry"
)

// Windows is the live part of telemetry, of the agents of all replicas.
type Windows interface {
	Points(f telemetry.Filter, now time.Time) []telemetry.Point
	Agents(k telemetry.Key, now time.Time) []telemetry.AgentPoint
	Crowds(k telemetry.Key, now time.Time) (telemetry.Crowds, bool)
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

// toSeries turns samples into columns: charts read those.
func toSeries(in *telemetry.Series) api.Series {
	n := len(in.Samples)
	out := api.Series{
		PointKey: fromKey(in.Key), StepMS: in.Step.Milliseconds(), At: make([]time.Time, n), Count: make([]int64, n), QPS: make([]float64, n),
		RTMeanMS: make([]float64, n), RTP50MS: make([]float64, n), RTP95MS: make([]float64, n), RTP99MS: make([]float64, n),
		AvailableRT: make([]float64, n), Timeouts: make([]int64, n), Errors: make([]int64, n), Shed: make([]int64, n), Level: make([]float64, n),
		LevelMin: make([]int, n), LevelMax: make([]int, n), CPU: make([]float64, n), Value: make([]float64, n),
	}
	us := func(v int64) float64 { return float64(v) / 1000 }
	for i := range in.Samples {
		x := &in.Samples[i]
		out.At[i], out.Count[i], out.QPS[i] = x.At, x.Count, x.QPS(in.Step)
		out.RTMeanMS[i], out.RTP50MS[i], out.RTP95MS[i], out.RTP99MS[i] = us(x.MeanUS), us(x.P50US), us(x.P95US), us(x.P99US)
		out.AvailableRT[i], out.Timeouts[i], out.Errors[i], out.Shed[i] = us(x.AvailableUS), x.Timeouts, x.Errors, x.Shed
		out.Level[i], out.LevelMin[i], out.LevelMax[i] = float64(x.LevelCenti)/100, int(x.LevelMin), int(x.LevelMax)
		out.CPU[i], out.Value[i] = float64(x.CPUMilli)/1000, float64(x.ValueMilli)/1000
		if x.CPUMilli < 0 {
			out.CPU[i] = -1
		}
	}
	return out
}

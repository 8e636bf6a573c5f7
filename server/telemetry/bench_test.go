package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/telemetry"
)

// fleetReports makes one second of reports of 5,000 agents with 3 points each;
// every point saw 20 requests.
func fleetReports(agents int) []*gear.Report {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]*gear.Report, agents)
	for i := range out {
		r := &gear.Report{Window: time.Second, CPU: 0.5}
		for p := range 3 {
			var s sketch.Sketch
			var sum time.Duration
			for range 20 {
				us := uint64(2000 + rng.ExpFloat64()*5000)
				s.Record(us)
				sum += time.Duration(us) * time.Microsecond
			}
			r.Points = append(r.Points, gear.PointReport{
				Scene: "k2", Point: fmt.Sprintf("p%d", p), Count: 20, OK: 20, RTSum: sum, RT: s.AppendTo(nil), LevelSum: 100, LevelMin: 5, LevelMax: 5,
			})
		}
		out[i] = r
	}
	return out
}

// BenchmarkFleetSecond is everything one second of 5,000 agents costs: taking
// their reports and closing the second. An op is a second of the fleet.
func BenchmarkFleetSecond(b *testing.B) {
	const agents = 5000
	reports := fleetReports(agents)
	w := telemetry.New(telemetry.Limits{})
	src := make([]telemetry.Source, agents)
	for i := range src {
		src[i] = telemetry.Source{App: fmt.Sprintf("app%d", i%5), IDC: "na61", Instance: fmt.Sprint(i)}
	}
	now := t0
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		for i, r := range reports {
			c := *r // a report is kept, so each second needs its own
			c.At = now
			w.Ingest(src[i], &c, now)
		}
		w.Advance(now)
		w.TakeMinutes()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/agents, "ns/report")
}

// BenchmarkPoints reads all live rollups of 5,000 series: what the points page asks for.
func BenchmarkPoints(b *testing.B) {
	w := telemetry.New(telemetry.Limits{})
	now := t0
	for s := range 14 {
		now = t0.Add(time.Duration(s) * time.Second)
		for a, r := range fleetReports(5000 / 3) {
			c := *r
			c.At = now
			c.Points = append([]gear.PointReport(nil), r.Points...)
			for i := range c.Points {
				c.Points[i].Scene = fmt.Sprint(a)
			}
			w.Ingest(telemetry.Source{App: fmt.Sprint(a % 5), IDC: "x", Instance: fmt.Sprint(a)}, &c, now)
		}
	}
	b.ResetTimer()
	n := 0
	for b.Loop() {
		n = len(w.Points(telemetry.Filter{}, now))
	}
	b.ReportMetric(float64(n), "series")
}

func BenchmarkPack(b *testing.B) {
	var s telemetry.Slots
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		s.Set(i, busySample(rng))
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = s.Append(buf[:0])
	}
	b.ReportMetric(float64(len(buf)), "bytes/hour")
}

func busySample(rng *rand.Rand) telemetry.Sample {
	n := func(base, spread int64) int64 { return base + rng.Int64N(spread) }
	return telemetry.Sample{
		Count: n(60000, 5000), Timeouts: n(0, 5), MeanUS: n(8000, 400), P50US: n(7000, 300), P95US: n(15000, 900), P99US: n(30000, 3000),
		AvailableUS: 8000, LevelCenti: n(700, 40), LevelMin: 5, LevelMax: 9, CPUMilli: n(600, 30), ValueMilli: n(1234567, 99999), Agents: 3,
	}
}

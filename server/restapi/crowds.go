package restapi

import (
	"context"
	"net/http"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/telemetry"
)

// Demo is the sample engine where this controller runs one.
type Demo interface {
	Rate() int
	MaxRate() int
	// SetRate refuses a rate beyond MaxRate.
	SetRate(rate int) error
}

// ServeDemo makes the sample engine's load a live control. Call it before Start.
func (s *Server) ServeDemo(d Demo) { s.deps.Demo = d }

func (s *Server) crowdRoutes() {
	handle(s, endpoint{
		method: http.MethodGet, path: "/points/{scene}/{idc}/{app}/{point}/crowds", id: "point-crowds", tag: "Points", verb: auth.Read,
		summary:     "A point's crowds",
		description: "RT distribution, crowds with their level and mean RT, requests downgraded and of those how many needlessly, over the last ten seconds.",
	}, s.pointCrowds)
	handle(s, endpoint{
		method: http.MethodGet, path: "/demo", id: "get-demo", tag: "Status", verb: auth.Read,
		summary: "The sample engine's load", description: "404 where no sample engine runs.", errors: []int{http.StatusNotFound},
	}, func(context.Context, *caller, *struct{}) (*plain[api.Demo], error) {
		d, err := s.demo()
		if err != nil {
			return nil, err
		}
		return &plain[api.Demo]{api.Demo{Rate: d.Rate(), MaxRate: d.MaxRate()}}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/demo", id: "set-demo", tag: "Status", verb: auth.Settings,
		summary: "Change the sample engine's load", description: "In force at once, until the process ends; no change of the system, so not in the audit log. 404 where no sample engine runs.",
		errors: []int{http.StatusNotFound},
	}, func(_ context.Context, _ *caller, in *struct{ Body api.Demo }) (*plain[api.Demo], error) {
		d, err := s.demo()
		if err != nil {
			return nil, err
		}
		if err := d.SetRate(in.Body.Rate); err != nil {
			return nil, fault.WithProblems(problem("body.rate", gear.CodeRange, "%s", err.Error()), "the sample engine cannot run at that rate")
		}
		return &plain[api.Demo]{api.Demo{Rate: d.Rate(), MaxRate: d.MaxRate()}}, nil
	})
}

func (s *Server) demo() (Demo, error) {
	if s.deps.Demo == nil {
		return nil, fault.New(fault.NotFound, "no sample engine runs here")
	}
	return s.deps.Demo, nil
}

func (s *Server) pointCrowds(ctx context.Context, c *caller, in *struct {
	PointPath
	Agents bool `query:"agents" doc:"With each machine's own crowds."`
},
) (*plain[api.Crowds], error) {
	p, err := s.point(ctx, c, in.key())
	if err != nil {
		return nil, err
	}
	out := api.Crowds{PointKey: p.PointKey, Histogram: []api.RTBin{}, Crowds: []api.Crowd{}, Agents: []api.AgentCrowds{}}
	if o := p.Order; o != nil {
		out.Strategy, out.AvailableRTMS, out.TopLevel, out.Pinned = o.Strategy, o.AvailableRTMS, o.Level, o.Pinned
	}
	live, ok := s.deps.Windows.Crowds(toKey(p.PointKey), time.Now())
	if !ok {
		return &plain[api.Crowds]{out}, nil
	}
	if !live.At.IsZero() {
		out.At = timePtr(live.At)
	}
	out.WindowMS, out.Count, out.RTMeanMS, out.FitResidual = ms(live.Window), live.Count, ms(live.Mean), live.FitResidual
	out.Histogram = toHistogram(live.RT)
	if out.Strategy != string(gear.StrategyCrowdRT) {
		return &plain[api.Crowds]{out}, nil // crowds heard a moment ago are of an order that is gone
	}
	for i := range live.Crowds {
		x := &live.Crowds[i]
		out.Crowds = append(out.Crowds, toCrowd(x))
		out.Downgraded += x.Downgraded
		out.Needless += x.Needless
		out.NeedlessError += x.NeedlessError // the crowds of a machine share one predictor: they err together
	}
	if in.Agents {
		for i := range live.Agents {
			a := &live.Agents[i]
			row := api.AgentCrowds{Instance: a.Instance, AvailableRTMS: ms(a.AvailableRT), FitResidual: a.FitResidual, Crowds: []api.Crowd{}}
			for j := range a.Crowds {
				row.Crowds = append(row.Crowds, toCrowd(&a.Crowds[j]))
			}
			out.Agents = append(out.Agents, row)
		}
	}
	return &plain[api.Crowds]{out}, nil
}

func toCrowd(x *telemetry.Crowd) api.Crowd {
	return api.Crowd{
		EdgeMS: ms(x.Edge), Count: x.Count, RTMeanMS: ms(x.Mean), Level: x.Level, Work: x.Work, Bound: x.Bounded,
		Downgraded: x.Downgraded, Needless: x.Needless, NeedlessError: x.NeedlessError, Reason: x.Reason, Machines: x.Machines,
	}
}

// barRatio is how wide a bar of the distribution is: the sketch's own bins, 2 %
// wide, are finer than a screen.
const barRatio = 1.1

func toHistogram(bins []sketch.Bin) []api.RTBin {
	out := []api.RTBin{}
	for i := 0; i < len(bins); {
		low, high, n := bins[i].Low, bins[i].High, bins[i].Count
		for i++; i < len(bins) && float64(bins[i].High+1) <= barRatio*float64(max(low, 100)); i++ {
			high, n = bins[i].High, n+bins[i].Count
		}
		out = append(out, api.RTBin{LowMS: float64(low) / 1000, HighMS: float64(high+1) / 1000, Count: int64(n)})
	}
	return out
}

package restapi

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/quota"
)

func toQuotaGroup(g *quota.Group) api.QuotaGroup {
	return api.QuotaGroup{
		ID: g.ID, Name: g.Name, Description: g.Description, Enabled: g.Enabled, Members: mapped(g.Members, toSelector),
		Settings: toQuotaSettings(&g.Settings), Version: g.Version,
		CreatedBy: g.CreatedBy, CreatedAt: g.CreatedAt, UpdatedBy: g.UpdatedBy, UpdatedAt: g.UpdatedAt,
	}
}

func toQuotaSettings(s *quota.Settings) api.QuotaSettings {
	out := api.QuotaSettings{
		TotalQuota: s.Total, Window: s.Window.String(), Delay: s.Delay.String(), QMin: s.Min, QMax: s.Max, DefaultQuota: s.Default,
		Law: string(s.Law), Kp: s.Kp, Ki: s.Ki, Kd: s.Kd, FeedForward: s.FeedForward, WeightMin: s.WeightMin, WeightMax: s.WeightMax,
		Normalise: s.Normalise, Watermark: s.Watermark, FallbackSlew: s.FallbackSlew, ReturnSlew: s.ReturnSlew,
	}
	for _, c := range s.Curves {
		out.Curves = append(out.Curves, api.QuotaCurve{From: c.From, Value: c.Value, Points: mapped(c.Points, func(p quota.Gain) api.QuotaGain { return api.QuotaGain(p) })})
	}
	return out
}

func fromQuotaGroup(in *api.QuotaGroupInput) (*quota.Group, error) {
	s, err := fromQuotaSettings(&in.Settings)
	if err != nil {
		return nil, err
	}
	return &quota.Group{
		Name: in.Name, Description: in.Description, Enabled: in.Enabled, Members: mapped(in.Members, fromSelector), Settings: s,
	}, nil
}

func fromQuotaSettings(in *api.QuotaSettings) (quota.Settings, error) {
	s := quota.Settings{
		Total: in.TotalQuota, Min: in.QMin, Max: in.QMax, Default: in.DefaultQuota, Law: quota.Law(in.Law), Kp: in.Kp, Ki: in.Ki, Kd: in.Kd,
		FeedForward: in.FeedForward, WeightMin: in.WeightMin, WeightMax: in.WeightMax, Normalise: in.Normalise, Watermark: in.Watermark,
		FallbackSlew: in.FallbackSlew, ReturnSlew: in.ReturnSlew,
	}
	var ps gear.Problems
	for _, d := range []struct {
		path, text string
		into       *time.Duration
	}{{"settings.window", in.Window, &s.Window}, {"settings.delay", in.Delay, &s.Delay}} {
		v, err := time.ParseDuration(d.text)
		if err != nil {
			ps = append(ps, problem(d.path, "type", `%s wants a duration like "300ms", got %q`, d.path, gear.Shown(d.text))...)
		}
		*d.into = v
	}
	if len(ps) > 0 {
		return s, fault.WithProblems(ps, "the settings are not valid")
	}
	for _, c := range in.Curves {
		s.Curves = append(s.Curves, quota.Curve{From: c.From, Value: c.Value, Points: mapped(c.Points, func(p api.QuotaGain) quota.Gain { return quota.Gain(p) })})
	}
	return s, nil
}

func (s *Server) quotaState(g *quota.Group) api.QuotaState {
	x := s.deps.QuotaLoop.Status(g.ID)
	st := api.QuotaStatus{
		State: "live", Decides: x.Leading, Epoch: x.Epoch, Tick: x.Tick, Base: x.Base, Scale: x.Scale, Lambda: x.Lambda,
		Choices: mapped(x.Choices, func(c quota.Choice) api.QuotaChoice { return api.QuotaChoice(c) }), Sum: x.Sum, TotalQuota: x.Total, Error: x.Error,
		Terms:    api.QuotaTerms{P: x.Terms.P, I: x.Terms.I, D: x.Terms.D, FeedForward: x.Terms.FeedForward, Frozen: x.Terms.Frozen, Bound: x.Terms.Bound},
		Arrivals: x.Arrivals, Consumed: x.Consumed, MeanWeight: x.Weight, CPU: knownCPU(x.Machines.CPU, x.Machines.Count), Machines: x.Machines.Count,
		Crew: api.QuotaCrew{Agents: x.Crew.Agents, Live: x.Crew.Live, Returning: x.Crew.Returning, Fallback: x.Crew.Fallback, Capped: x.Crew.Capped},
	}
	if x.Tick > 0 {
		st.At = timePtr(x.At)
	}
	switch {
	case !g.Enabled:
		st.State = "off"
	case !x.Heard:
		st.State, st.Trouble = "lost", x.Trouble
	}
	return api.QuotaState{QuotaGroup: toQuotaGroup(g), Status: st}
}

// knownCPU is nil for a CPU that nobody knows.
func knownCPU(cpu float64, machines int) *float64 {
	if cpu < 0 || machines == 0 {
		return nil
	}
	return &cpu
}

func toQuotaSecond(p quota.Point) api.QuotaPoint {
	return api.QuotaPoint{
		At: p.At, Base: p.Base, BaseMin: p.Base, BaseMax: p.Base, Sum: p.Sum / p.Total, SumMax: p.Sum / p.Total, Arrivals: p.Arrivals,
		Consumed: p.Consumed, P: p.P, I: p.I, D: p.D, FF: p.FF, MeanWeight: p.Weight, Agents: p.Agents, Fallback: p.Fallback,
		Capped: p.Capped, CPU: knownCPU(p.CPU, 1),
	}
}

func toQuotaMinute(m quota.Minute) api.QuotaPoint {
	seconds := max(float64(m.Ticks)*quota.Tick.Seconds(), 1)
	return api.QuotaPoint{
		At: m.At, Base: m.Base, BaseMin: m.BaseMin, BaseMax: m.BaseMax, Sum: m.Sum, SumMax: m.SumMax, Arrivals: m.Requests / seconds,
		Consumed: m.Consumed / seconds, Agents: m.Agents, Fallback: m.Fallback, CPU: knownCPU(m.CPU, 1),
	}
}

func toCalibration(g *quota.Group, c quota.Calibration, readings []quota.Reading) api.QuotaCalibration {
	return api.QuotaCalibration{
		OK: c.OK, Reason: c.Reason, Stale: c.Stale, TotalQuota: c.Total, Margin: c.Margin, Watermark: g.Settings.Watermark,
		Idle: c.Idle, Slope: c.Slope, R2: c.R2, Sigma: c.Sigma, Used: c.Readings,
		Readings: mapped(readings, func(r quota.Reading) api.QuotaReading {
			return api.QuotaReading{At: r.At, Consumed: r.Consumed, CPU: r.CPU}
		}),
	}
}

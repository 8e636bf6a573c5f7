package wire

import (
	"time"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

// FromReport makes the message of a report. The sketch's bytes are shared, not
// copied.
func FromReport(r *gear.Report) *agentv1.Report {
	p := &agentv1.Report{
		Sequence: r.Sequence, AtNs: nanos(r.At), WindowNs: int64(r.Window), HeldEpoch: r.Held.Epoch, HeldRevision: r.Held.Revision,
		Rung: uint32(r.Rung), Cpu: r.CPU, ClockOffsetNs: int64(r.Clock), Points: make([]*agentv1.PointReport, len(r.Points)),
	}
	for i := range r.Points {
		p.Points[i] = fromPoint(&r.Points[i])
	}
	for i := range r.Levels {
		x := &r.Levels[i]
		p.Levels = append(p.Levels, &agentv1.LevelReport{
			Scene: clean(x.Scene), Point: clean(x.Point), Table: clean(x.Table), Level: small(x.Level), Class: clean(x.Class), Count: x.Count, Rt: x.RT,
			Value: x.Value, Worked: x.Worked, CpuMs: x.CPU, Taken: x.Taken, TakenMax: x.TakenMax, Output: x.Output, Effect: x.Effect,
		})
	}
	for i := range r.Buckets {
		p.Buckets = append(p.Buckets, fromBucket(&r.Buckets[i]))
	}
	for i := range r.Calls {
		x := &r.Calls[i]
		p.Calls = append(p.Calls, &agentv1.CallReport{
			Scene: clean(x.Scene), Point: clean(x.Point), External: x.External, Caller: clean(x.Caller), After: clean(x.After), Span: x.Span, Count: x.Count,
		})
	}
	return p
}

func fromPoint(r *gear.PointReport) *agentv1.PointReport {
	p := &agentv1.PointReport{
		Scene: clean(r.Scene), Point: clean(r.Point), Count: r.Count, Ok: r.OK, Timeouts: r.Timeouts, Errors: r.Errors, Shed: r.Shed,
		RtSumUs: r.RTSum.Microseconds(), Rt: r.RT, Value: r.Value, Load: r.Load,
		LevelSum: r.LevelSum, LevelMin: small(r.LevelMin), LevelMax: small(r.LevelMax),
		AvailableRtUs: r.AvailableRT.Microseconds(), FitResidual: r.FitResidual,
	}
	for _, x := range r.Crowds {
		p.Crowds = append(p.Crowds, &agentv1.CrowdReport{
			Crowd: small(x.Crowd), EdgeUs: x.Edge.Microseconds(), Count: x.Count, RtSumUs: x.RTSum.Microseconds(),
			Work: x.Work, Level: small(x.Level), Bounded: clean(x.Bounded),
			Downgraded: x.Downgraded, Needless: x.Needless, NeedlessError: x.NeedlessError, Reason: clean(x.Reason),
		})
	}
	return p
}

// ToReport reads a report.
func ToReport(p *agentv1.Report) (gear.Report, gear.Problems) {
	var c checker
	r := gear.Report{
		Sequence: c.count("sequence", p.GetSequence()), At: unix(p.GetAtNs()), Window: time.Duration(p.GetWindowNs()),
		Held: c.version(p.GetHeldEpoch(), p.GetHeldRevision()), Rung: rung(p.GetRung()),
		CPU: c.finite("cpu", p.GetCpu()), Clock: time.Duration(p.GetClockOffsetNs()),
	}
	if r.Window < 0 || r.Window > MaxWindow {
		c.add("window", codeRange, "window wants a duration 0s..%s, got %s", MaxWindow, r.Window)
		r.Window = 0
	}
	if n := len(p.GetPoints()); n > 0 && c.size("points", n, MaxSeries, "points") {
		r.Points = make([]gear.PointReport, n)
		for i, x := range p.GetPoints() {
			r.Points[i] = c.point(i, x)
		}
	}
	if n := len(p.GetLevels()); n > 0 && c.size("levels", n, MaxLevels, "levels") {
		r.Levels = make([]gear.LevelReport, n)
		for i, x := range p.GetLevels() {
			r.Levels[i] = c.level(x)
		}
	}
	if n := len(p.GetBuckets()); n > 0 && c.size("buckets", n, MaxBuckets, "buckets") {
		r.Buckets = make([]gear.BucketReport, n)
		for i, x := range p.GetBuckets() {
			r.Buckets[i] = c.bucket(i, x)
		}
	}
	if n := len(p.GetCalls()); n > 0 && c.size("calls", n, MaxCalls, "calls") {
		r.Calls = make([]gear.CallReport, n)
		for i, x := range p.GetCalls() {
			r.Calls[i] = gear.CallReport{
				Scene: c.name("calls.scene", x.GetScene()), Point: c.name("calls.point", x.GetPoint()), External: x.GetExternal(),
				Caller: c.name("calls.caller", x.GetCaller()), After: c.name("calls.after", x.GetAfter()),
				Span: x.GetSpan(), Count: c.count("calls.count", x.GetCount()),
			}
		}
	}
	return r, c.problems
}

func (c *checker) point(i int, p *agentv1.PointReport) gear.PointReport {
	before := len(c.problems)
	r := c.pointReport(p)
	// Paths are made only for what is wrong: reports are the busiest message.
	for k := before; k < len(c.problems); k++ {
		c.problems[k].Path = at("points", i) + "." + c.problems[k].Path
	}
	return r
}

func (c *checker) pointReport(p *agentv1.PointReport) gear.PointReport {
	r := gear.PointReport{
		Scene: c.name("scene", p.GetScene()), Point: c.name("point", p.GetPoint()), Count: c.count("count", p.GetCount()),
		OK: c.count("ok", p.GetOk()), Timeouts: c.count("timeouts", p.GetTimeouts()), Errors: c.count("errors", p.GetErrors()),
		Shed: c.count("shed", p.GetShed()), RTSum: c.micros("rt_sum", p.GetRtSumUs()),
		Value: c.finite("value", p.GetValue()), Load: c.finite("load", p.GetLoad()),
		LevelSum: c.count("level_sum", p.GetLevelSum()), LevelMin: int(p.GetLevelMin()), LevelMax: int(p.GetLevelMax()),
		AvailableRT: c.micros("available_rt", p.GetAvailableRtUs()), FitResidual: c.finite("fit_residual", p.GetFitResidual()),
	}
	if c.size("rt", len(p.GetRt()), MaxSketch, "bytes") {
		r.RT = p.GetRt()
	}
	if n := len(p.GetCrowds()); n > 0 && c.size("crowds", n, MaxCrowds, "crowds") {
		r.Crowds = make([]gear.CrowdReport, n)
		for k, x := range p.GetCrowds() {
			r.Crowds[k] = gear.CrowdReport{
				Crowd: int(x.GetCrowd()), Edge: c.micros("crowds.edge", x.GetEdgeUs()), Count: c.count("crowds.count", x.GetCount()),
				RTSum: c.micros("crowds.rt_sum", x.GetRtSumUs()), Work: c.finite("crowds.work", x.GetWork()),
				Level: int(x.GetLevel()), Bounded: c.name("crowds.bounded", x.GetBounded()),
				Downgraded: c.count("crowds.downgraded", x.GetDowngraded()), Needless: c.finite("crowds.needless", x.GetNeedless()),
				NeedlessError: c.finite("crowds.needless_error", x.GetNeedlessError()), Reason: c.name("crowds.reason", x.GetReason()),
			}
		}
	}
	return r
}

func (c *checker) level(x *agentv1.LevelReport) gear.LevelReport {
	r := gear.LevelReport{
		Scene: c.name("levels.scene", x.GetScene()), Point: c.name("levels.point", x.GetPoint()), Table: c.name("levels.table", x.GetTable()),
		Level: int(x.GetLevel()), Class: c.name("levels.class", x.GetClass()), Count: c.count("levels.count", x.GetCount()),
		Value: c.finite("levels.value", x.GetValue()), Worked: c.count("levels.worked", x.GetWorked()), CPU: c.finite("levels.cpu_ms", x.GetCpuMs()),
		Taken: c.count("levels.taken", x.GetTaken()), TakenMax: c.count("levels.taken_max", x.GetTakenMax()),
		Output: c.count("levels.output", x.GetOutput()), Effect: c.finite("levels.effect", x.GetEffect()),
	}
	if c.size("levels.rt", len(x.GetRt()), MaxSketch, "bytes") {
		r.RT = x.GetRt()
	}
	return r
}

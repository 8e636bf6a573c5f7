package demo

import (
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/quota"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/lab"
)

// build is what the agents say they are.
const build = "demo-1"

// machine is one modelled machine and its real agent.
type machine struct {
	agent  *agent.Agent
	scenes []agent.Scene // by the model's scene
	points []point       // by the model's point; those of other apps are empty
	cpu    atomic.Uint64 // bits of the share of its cores that were busy last second
	cores  int
}

// point is the agent's handle of a control point and the readers of its
// parameters, in declared order.
type point struct {
	handle   *agent.Point
	external bool
	reads    []reader
	quotas   []*quota.Quota // by the model's scene; nil where no quota bounds the point
}

// reader reads one parameter the way the model wants it: as a number.
type reader struct {
	number *agent.IntParam
	choice *agent.EnumParam
	values []string // of choice
}

func (r *reader) read(d *agent.Decision) float64 {
	if r.number != nil {
		return float64(r.number.Get(d))
	}
	v := r.choice.Get(d)
	for i, s := range r.values {
		if s == v {
			return float64(i)
		}
	}
	return 0
}

// newMachine makes a machine of the model with its agent, not started.
func newMachine(cfg *Config, m *lab.Model, id int) *machine {
	appID, idcID, number := m.Place(id)
	app, idc := m.Apps[appID], m.IDCs[idcID]
	name := fmt.Sprintf("%s-%s-%d", app.Name, idc, number+1)
	out := &machine{cores: app.Cores, points: make([]point, len(m.Points))}
	ac := agent.Config{
		App: app.Name, IDC: idc, Host: name, Instance: name, Build: build,
		Address: cfg.Controller, EnrolToken: cfg.token(app.Name, idc), Log: slog.New(warnings{cfg.Log.Handler()}),
		CPU: func() float64 { return math.Float64frombits(out.cpu.Load()) },
	}
	if cfg.DataDir != "" {
		ac.DataDir = filepath.Join(cfg.DataDir, name)
	}
	var opts []agent.Option
	if cfg.Dial != nil {
		opts = append(opts, agent.WithDialer(cfg.Dial))
	}
	out.agent = agent.New(ac, opts...)
	for _, s := range m.Scenes {
		out.scenes = append(out.scenes, out.agent.Scene(s.Name))
	}
	for i := range m.Points {
		if m.Points[i].App == appID {
			out.points[i] = declare(out.agent, &m.Points[i])
			if i == lab.Rank {
				for _, s := range m.Scenes {
					out.points[i].quotas = append(out.points[i].quotas, out.points[i].handle.Quota(s.Name).Default(defaultQuota))
				}
			}
		}
	}
	return out
}

// declare declares a point of the model as an app's code would.
func declare(ag *agent.Agent, p *lab.Point) point {
	if p.External {
		timeout := p.Params[0]
		e := ag.External(p.Name).Default(timeout.Default.Duration()).Range(timeout.Min.Duration(), timeout.Max.Duration())
		return point{handle: &e.Point, external: true}
	}
	out := point{handle: ag.Point(p.Name)}
	for _, d := range p.Params {
		switch d.Kind {
		case gear.KindInt:
			h := out.handle.Int(d.Name).Range(d.Min.Int(), d.Max.Int()).Unit(d.Unit).Monotonic(d.Monotonic).Default(d.Default.Int())
			out.reads = append(out.reads, reader{number: h})
		case gear.KindEnum:
			h := out.handle.Enum(d.Name, d.Values...).Default(d.Default.Str())
			out.reads = append(out.reads, reader{choice: h, values: d.Values})
		default:
			panic("demo: the model has a parameter of kind " + d.Kind.String())
		}
	}
	return out
}

// controls lets the model ask the agents: lab.Controls.
type controls struct {
	machines []*machine
	open     []agent.Decision // by visit
	visits   []stop           // by visit
	frames   []stop           // by frame: in which context a call is handled
}

// Begin asks the machine's agent.
func (c *controls) Begin(v *lab.Visit, r *lab.Reading) {
	m := c.machines[v.Machine]
	p := &m.points[v.Point]
	for int(v.ID) >= len(c.open) {
		c.open = append(c.open, agent.Decision{})
	}
	d := &c.open[v.ID]
	c.follow(v, p.handle, m.scenes[v.Scene])
	ask := agent.Request{Load: v.Load, Value: v.Value, Key: key(v.Key)}
	if v.Point == lab.Entry {
		ask.Value = 0 // the point in front says what was earned, not what could be
	}
	*d = p.handle.Begin(m.scenes[v.Scene], ask)
	if p.external {
		r[0] = float64(d.Timeout())
		return
	}
	for i := range p.reads {
		r[i] = p.reads[i].read(d)
	}
	if p.quotas != nil {
		// The first parameter of rank is its candidates: where level and quota both
		// bound them, the smaller counts.
		r[0] = float64(p.quotas[v.Scene].Take(v.Value, int(r[0])))
	}
}

// outcomes translates the model's outcomes.
var outcomes = [...]agent.Outcome{lab.OK: agent.OK, lab.TimedOut: agent.Timeout, lab.Failed: agent.Error, lab.Refused: agent.Shed}

// End reports to the machine's agent.
func (c *controls) End(v *lab.Visit, res lab.Result) {
	c.visits[v.ID].span.End()
	if res.CPU > 0 {
		c.open[v.ID].Worked(agent.Work{
			CPU: ms(res.CPU), Taken: int(math.Round(res.Taken)), Output: int(math.Round(res.Output)), Effect: res.Effect,
		})
	}
	c.open[v.ID].End(agent.Result{Elapsed: time.Duration(res.Elapsed), Outcome: outcomes[res.Outcome], Value: res.Earned})
}

// key writes a user's key as engines do: as text.
func key(k uint64) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[k>>(60-4*i)&15]
	}
	return string(b[:])
}

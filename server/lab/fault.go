package lab

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/telemetry"
)

// Fault is something that goes wrong at the search node.
type Fault struct {
	Kind  alert.Kind // the name under which it must be found; "" is none
	Size  float64    // factor by which it is worse
	Other bool       // the kind's other way to happen, see Watched.strike
}

// FaultKinds are the kinds that are injected.
func FaultKinds() []alert.Kind {
	return []alert.Kind{alert.InputShift, alert.Capacity, alert.BadRelease, alert.BadMachine}
}

// FaultSizes are the factors by which each kind is played, from one that operators
// would want to hear of to one that nobody overlooks. They were set before any
// rule was tried on them.
func FaultSizes() []float64 {
	const n, least, most = 20, 1.5, 5.0
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Round(100*least*math.Pow(most/least, float64(i)/(n-1))) / 100
	}
	return out
}

// watchedMachines is how many machines of each app there are, in one IDC.
const watchedMachines = 6

// Watched is the standard engine under crowd loops, reporting to the production
// telemetry and watched by the production alert rules.
type Watched struct {
	engine  *Engine
	policy  Policy
	plan    *Plan
	windows *telemetry.Windows
	watch   *alert.Watch
	book    *alert.Book
	rules   alert.Rules
	builds  []string // by machine
	cells   []watchedCell
	cpu     []cpuMeter
	open    []int16 // level of each visit under way
	ids     int
	raised  []Raised
}

type watchedCell struct {
	count, bad int64
	sum        int64
	levels     int64
	load       float64
}

// Raised is an alert and when it was raised, since the run began.
type Raised struct {
	At    time.Duration
	Alert alert.Alert
}

// began is the instant at which virtual time starts.
var began = time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)

// watched builds the engine of a scenario with one IDC.
func watched(s Scenario, rules alert.Rules, seed uint64) *Watched {
	w := &Watched{windows: telemetry.New(telemetry.Limits{}), watch: alert.NewWatch(), book: alert.NewBook(nil, began), rules: rules, plan: NewPlan(s)}
	m := s.model()
	m.IDCs = m.IDCs[:1]
	cfg := s.config(m, seed)
	cfg.Workload.Rate = w.copies(s.Load(0))
	setup := &Setup{Scenario: &s, Model: m, Ladders: w.plan.ladders, Targets: slices.Clone(w.plan.targets), Seed: seed}
	info, _ := FindPolicy("crowd")
	w.policy = info.make(setup)
	cfg.Controls = w
	w.engine = NewEngine(cfg)
	setup.Engine = w.engine
	w.cells = make([]watchedCell, m.MachineCount()*len(m.Points)*len(m.Scenes))
	w.cpu = make([]cpuMeter, m.MachineCount())
	w.builds = slices.Repeat([]string{"build-1"}, m.MachineCount())
	return w
}

func (w *Watched) copies(load float64) int {
	s := &w.plan.Scenario
	return max(int(math.Round(load*nominal*float64(s.machines())/s.trace().Rate())), 1)
}

// Begin implements Controls.
func (w *Watched) Begin(v *Visit, r *Reading) {
	w.policy.Begin(v, r)
	for int(v.ID) >= len(w.open) {
		w.open = append(w.open, 0)
	}
	level := 0
	if l := w.plan.ladders[v.Point]; l != nil {
		level = 1 + sort.Search(len(l.Rows)-1, func(i int) bool { return l.Rows[i][0] >= r[0] })
	}
	w.open[v.ID] = int16(level)
}

// End implements Controls.
func (w *Watched) End(v *Visit, res Result) {
	m := w.engine.model
	c := &w.cells[(int(v.Machine)*len(m.Points)+int(v.Point))*len(m.Scenes)+int(v.Scene)]
	c.count++
	c.sum += res.Elapsed
	c.levels += int64(w.open[v.ID])
	c.load += v.Load
	if res.Outcome != OK {
		c.bad++
	}
	w.policy.End(v, res)
}

// report hands the second's measurements of every machine to telemetry, as its
// agent would.
func (w *Watched) report(now time.Time) {
	m := w.engine.model
	for i := range w.cpu {
		app, idc, n := m.Place(i)
		r := &gear.Report{At: now, Window: time.Second, CPU: min(w.cpu[i].read(w.engine, i), 1)}
		for p := range m.Points {
			for sc := range m.Scenes {
				c := &w.cells[(i*len(m.Points)+p)*len(m.Scenes)+sc]
				if c.count == 0 {
					continue
				}
				r.Points = append(r.Points, gear.PointReport{
					Scene: m.Scenes[sc].Name, Point: m.Points[p].Name, Count: c.count, OK: c.count - c.bad, Errors: c.bad,
					RTSum: time.Duration(c.sum), LevelSum: c.levels, Load: c.load,
				})
				*c = watchedCell{}
			}
		}
		w.windows.Ingest(telemetry.Source{App: m.Apps[app].Name, IDC: m.IDCs[idc], Instance: fmt.Sprintf("%s-%d", m.Apps[app].Name, n)}, r, now)
	}
}

// second plays one second and looks.
func (w *Watched) second(load float64) {
	w.engine.SetRate(w.copies(load))
	w.engine.Run(w.engine.Now()+int64(time.Second), math.MaxInt)
	w.policy.Tick(w.engine.Now())
	now := began.Add(time.Duration(w.engine.Now()))
	w.report(now)
	o := alert.Observation{At: now, Machines: w.windows.Machines(now), Build: w.build, Gears: w.gears}
	raise, resolve := w.book.Step(w.watch.Step(&o, w.rules), w.rules, now)
	for _, a := range raise {
		w.ids++
		a.ID = fmt.Sprint(w.ids)
		w.book.Raised(a)
		w.raised = append(w.raised, Raised{now.Sub(began), *a})
	}
	for _, a := range resolve {
		w.book.Dropped(a)
	}
	if w.engine.Now()%int64(time.Minute) == 0 {
		w.windows.Advance(now)
		w.windows.TakeMinutes()
	}
}

func (w *Watched) build(s telemetry.Source) string {
	m := w.engine.model
	for i := range w.builds {
		if app, _, n := m.Place(i); m.Apps[app].Name == s.App && s.Instance == fmt.Sprintf("%s-%d", s.App, n) {
			return w.builds[i]
		}
	}
	return ""
}

func (w *Watched) gears(k telemetry.Key) (alert.Gears, bool) {
	i := w.engine.model.Point(k.App, k.Point)
	if i < 0 || w.plan.ladders[i] == nil {
		return alert.Gears{}, false
	}
	top := w.plan.ladders[i].Top()
	return alert.Gears{Min: 1, Max: top, Level: top}, true
}

// strike makes the fault happen now. The other way of a kind: the load falls
// instead of rising, cores are missing instead of slow, two machines of six got
// the build instead of all.
func (w *Watched) strike(f Fault) {
	e := w.engine
	for i := range e.machines {
		app, _, n := e.model.Place(i)
		if app != SN {
			continue
		}
		switch f.Kind {
		case alert.BadMachine:
			if n == 2 {
				e.machines[i].speed /= f.Size
			}
		case alert.Capacity:
			if f.Other {
				e.SetCores(i, max(int(math.Round(snCores/f.Size)), 1))
			} else {
				e.machines[i].speed /= f.Size
			}
		case alert.BadRelease:
			if !f.Other || n < 2 {
				w.builds[i] = "build-2"
				e.machines[i].speed /= f.Size
			}
		}
	}
	if f.Kind == alert.InputShift {
		e.bend = f.Size
		if f.Other {
			e.bend = 1 / f.Size
		}
	}
}

// release gives every search node another build that is as good as the one before.
func (w *Watched) release(build string) {
	for i := range w.builds {
		if app, _, _ := w.engine.model.Place(i); app == SN {
			w.builds[i] = build
		}
	}
}

package lab

import (
	"math"
	"time"
)

// Kinds of event.
const (
	evLook     uint8 = iota // a Sharing machine's first job may leave; id machine
	evCPU                   // a FIFO machine's job ends; id frame
	evIO                    // a visit's I/O ends; id frame
	evCall                  // a call reaches its machine; id frame
	evEdge                  // an external edge's timeout; id frame of the callee
	evPatience              // the scene's timeout at the frontend; id scene
	evRetry                 // a user asks again; id slot of retries
)

// Config is one run.
type Config struct {
	Model    *Model
	Workload WorkloadConfig
	Controls Controls
	// Slow divides the speed of single machines, by machine index; see Model.Place.
	Slow map[int]float64
	// Users says how users differ and how patient they are.
	Users Users
	// Judge, when it is set, has each visit compared with what it would have
	// been at the top: who was downgraded, and who needlessly.
	Judge *Judge
}

// Users bends the population of a trace. The zero Users leaves it as it is.
type Users struct {
	// Spread is the exponent on the relative load, scaled back to mean 1: 0 means
	// 1; 0.5 makes users alike, 1.5 makes them differ more.
	Spread float64
	// Blur is the standard deviation of ln(predicted load / load): what the app's
	// prediction does not know.
	Blur float64
	// Misjudged has policies told the value of somebody else: what a user is worth
	// then says nothing of what work for them earns.
	Misjudged bool
	// Retries is how often a user whose request was lost asks again, RetryAfter
	// later.
	Retries    int
	RetryAfter time.Duration
}

// Judge holds the readings at the top and the targets of each point, in ns; a
// point without a target is not judged.
type Judge struct {
	Tops    []Reading
	Targets []float64
}

// Engine runs a model. It is used from one goroutine.
type Engine struct {
	model    *Model
	controls Controls
	follower Follower // the controls, if they are one
	work     *Workload
	now      int64
	heap     eventHeap

	machines []machine
	frames   []frame
	free     []int32
	requests []request
	freeReq  []int32
	patience []patience // by scene

	// What Controls see; here so that a visit allocates nothing.
	seen    Visit
	reading Reading

	defaults []Reading
	noise    *[normalCells]float64
	salts    []uint64 // by point
	routes   []uint64 // by app
	sceneSat uint64
	idcSalt  uint64
	valueSat uint64
	meanLoad float64
	gains    []float64 // value: weight / (1-exp(-top/half)) by point
	users    Users
	scale    float64 // brings the mean of load^Spread back to 1
	blur     *[normalCells]float64
	blurSalt uint64
	judge    *Judge
	retries  []again
	freeTry  []int32
	bend     float64 // factor on the load of every request; 1 unless a fault bends it

	Tally Tally
}

// request is a request under way; it lives until its last frame is gone.
type request struct {
	key      uint64
	load     float64 // tokens
	relative float64 // load / mean, as the scene asks
	value    float64
	told     float64 // value, as the app takes it to be
	worth    float64 // share of a full answer earned so far
	output   [maxPoints]float32
	amount   [maxPoints]float32
	quality  [maxPoints]float32
	started  int64
	frames   int32
	attempt  int16
	arrival  Arrival
	scene    int16
	idc      int16
	done     float64 // work at points above others
	cut      float64 // … that was cut off
	dead     bool    // nobody waits for it
}

// frame is one call at one machine.
type frame struct {
	request int32
	parent  int32 // -1: nobody waits
	machine int32
	gen     uint32
	began   int64 // the current local visit
	called  int64 // when the caller sent it
	app     int16
	step    int16
	pending int16 // calls under way
	edge    int16 // external point at the caller, -1 when none
	io      int64
	cpu     float32 // ns of the current local visit
	over    float32 // CPU the visit would have needed at the top / what it needed
	failed  bool
}

// again is a request a user will repeat.
type again struct {
	arrival Arrival
	attempt int16
}

// NewEngine builds an engine at time 0.
func NewEngine(cfg Config) *Engine {
	m := cfg.Model
	m.check()
	seed := cfg.Workload.Seed
	e := &Engine{
		model: m, controls: cfg.Controls, work: NewWorkload(cfg.Workload),
		machines: make([]machine, m.MachineCount()),
		noise:    logNormal(m.Noise),
		sceneSat: Seed(seed, "scene"), idcSalt: Seed(seed, "idc"), valueSat: Seed(seed, "value"),
		meanLoad: cfg.Workload.Trace.MeanLoad,
		gains:    make([]float64, len(m.Points)),
		patience: make([]patience, len(m.Scenes)),
		users:    cfg.Users, scale: 1, bend: 1, judge: cfg.Judge,
	}
	if e.users.Spread > 0 {
		e.scale = 1 / cfg.Workload.Trace.meanPower(e.users.Spread)
	}
	if e.users.Blur > 0 {
		e.blur, e.blurSalt = logNormal(e.users.Blur), Seed(seed, "blur")
	}
	for i := range e.machines {
		app, _, _ := m.Place(i)
		a := &m.Apps[app]
		e.machines[i] = machine{queue: a.Queue, cores: a.Cores, limit: a.Limit, speed: 1, due: -1}
		if f := cfg.Slow[i]; f > 0 {
			e.machines[i].speed = 1 / f
		}
	}
	for i := range m.Apps {
		e.routes = append(e.routes, Seed(seed, "route", m.Apps[i].Name))
	}
	for i := range m.Points {
		p := &m.Points[i]
		e.salts = append(e.salts, Seed(seed, "noise", m.Apps[p.App].Name, p.Name))
		e.defaults = append(e.defaults, m.Defaults(i))
		if p.Weight > 0 {
			top, _ := p.Params[0].Max.Number()
			e.gains[i] = p.Weight / (1 - math.Exp(-top/p.Scale))
		}
	}
	e.follower, _ = cfg.Controls.(Follower)
	e.Tally.init(len(m.Scenes), len(m.Points))
	return e
}

// Now is the engine's time.
func (e *Engine) Now() int64 { return e.now }

// Workload is what feeds the engine; its rate may be changed between runs.
func (e *Engine) Workload() *Workload { return e.work }

// SetRate changes the number of superposed copies from now on.
func (e *Engine) SetRate(rate int) { e.work.SetRate(rate, e.now) }

// InFlight is how many requests are in the engine, waited for or not.
func (e *Engine) InFlight() int { return len(e.requests) - len(e.freeReq) }

// Busy is the work a machine has done so far, in core-nanoseconds.
func (e *Engine) Busy(machine int) float64 {
	m := &e.machines[machine]
	m.settle(e.now)
	return m.busy
}

// Run runs every event and arrival up to and including until, at most limit of
// them, and tells how many it ran. When the limit did not stop it, the engine's
// time is until.
func (e *Engine) Run(until int64, limit int) int {
	for n := range limit {
		if at, ok := e.work.Peek(); ok && at <= until && (len(e.heap.items) == 0 || at <= e.heap.items[0].at) {
			e.now = max(e.now, at)
			e.arrive(e.work.Next(), 0)
			continue
		}
		if len(e.heap.items) == 0 || e.heap.items[0].at > until {
			e.now = max(e.now, until)
			return n
		}
		ev := e.heap.pop()
		e.now = ev.at
		e.happen(&ev)
	}
	return limit
}

func (e *Engine) happen(ev *event) {
	switch ev.kind() {
	case evLook:
		if m := &e.machines[ev.id]; m.gen == ev.gen {
			m.due = -1
			e.look(ev.id)
		}
	case evCPU:
		e.served(ev.id)
	case evIO:
		e.visited(ev.id, OK)
	case evCall:
		e.step(ev.id)
	case evEdge:
		if e.frames[ev.id].gen == ev.gen {
			e.giveUp(ev.id)
		}
	case evPatience:
		e.expire(ev.id)
	case evRetry:
		t := e.retries[ev.id]
		e.freeTry = append(e.freeTry, ev.id)
		e.arrive(t.arrival, t.attempt)
	}
}

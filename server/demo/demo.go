package demo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/server/lab"
)

// Demo is a sample engine.
type Demo struct {
	cfg      Config
	model    *lab.Model
	machines []*machine
	engine   *lab.Engine
	rate     atomic.Int64
	ran      atomic.Bool
	status   atomic.Pointer[Status]

	// Of the goroutine that runs the model.
	busy   []float64 // work each machine had done at the last second
	second int64     // model time of the last second
	totals []SceneTotals
}

// ErrRan says that an engine runs once.
var ErrRan = errors.New("the sample engine has run already")

// New makes the engine and its agents; nothing runs yet.
func New(cfg Config) (*Demo, error) {
	if err := cfg.complete(); err != nil {
		return nil, fmt.Errorf("sample engine: %w", err)
	}
	d := &Demo{cfg: cfg, model: lab.Standard(cfg.Machines)}
	for id := range d.model.MachineCount() {
		d.machines = append(d.machines, newMachine(&d.cfg, d.model, id))
	}
	d.rate.Store(int64(max(cfg.Rate, 0)))
	d.busy = make([]float64, len(d.machines))
	d.totals = make([]SceneTotals, len(d.model.Scenes))
	d.engine = lab.NewEngine(lab.Config{
		Model: d.model, Controls: &controls{machines: d.machines},
		Workload: lab.WorkloadConfig{Trace: cfg.Trace, Rate: max(cfg.Rate, 0), Speed: cfg.Speed, Seed: cfg.Seed},
	})
	d.status.Store(d.measure(&pacer{engine: d.engine}, nil))
	return d, nil
}

// Run starts the agents and paces the model until ctx ends, then closes the
// agents. It gives an error only when an agent cannot start. It runs once.
func (d *Demo) Run(ctx context.Context) error {
	if d.ran.Swap(true) {
		return ErrRan
	}
	defer d.close()
	for _, m := range d.machines {
		// The agents end by Close, so that their last report still goes out.
		if err := m.agent.Start(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("sample engine: %w", err)
		}
	}
	d.cfg.Log.Info("the sample engine runs", "agents", len(d.machines), "trace", d.cfg.Trace.Name, "rate", d.Rate(), "speed", d.cfg.Speed)
	p := &pacer{engine: d.engine, log: d.cfg.Log, start: time.Now()}
	tick := time.NewTicker(Tick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if rate := int(d.rate.Load()); rate != d.engine.Workload().Rate() {
				d.engine.SetRate(rate)
			}
			p.turn()
			d.sample(p)
		}
	}
}

// close closes all agents at once: each may wait for its last report.
func (d *Demo) close() {
	var all sync.WaitGroup
	for _, m := range d.machines {
		all.Go(func() {
			if err := m.agent.Close(); err != nil {
				d.cfg.Log.Warn("sample engine", "error", err)
			}
		})
	}
	all.Wait()
}

// SetRate changes the number of superposed copies of the trace; it holds from the
// next tick. It may be called at any time from any goroutine.
func (d *Demo) SetRate(rate int) error {
	if most := d.MaxRate(); rate < 0 || rate > most {
		return fmt.Errorf("rate wants 0..%d, got %d", most, rate)
	}
	d.rate.Store(int64(rate))
	return nil
}

// MaxRate is the most that SetRate takes.
func (d *Demo) MaxRate() int { return int(min(lab.MaxRate, lab.MaxRate*d.cfg.Speed)) }

// Rate is the number of superposed copies that was asked for last.
func (d *Demo) Rate() int { return int(d.rate.Load()) }

// sample takes stock once a second of the model's time.
func (d *Demo) sample(p *pacer) {
	window := d.engine.Now() - d.second
	if window < int64(time.Second) {
		return
	}
	d.second = d.engine.Now()
	for i, m := range d.machines {
		busy := d.engine.Busy(i)
		m.cpu.Store(math.Float64bits((busy - d.busy[i]) / float64(window) / float64(m.cores)))
		d.busy[i] = busy
	}
	scenes := make([]SceneStatus, len(d.model.Scenes))
	for i := range scenes {
		s := &d.engine.Tally.Scenes[i]
		d.totals[i].add(s)
		scenes[i] = sceneStatus(d.model.Scenes[i].Name, s, time.Duration(window))
	}
	d.engine.Tally.Reset()
	d.status.Store(d.measure(p, scenes))
}

package lab

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/planner"
)

// Rehearser plays plans on the standard model: planner.Rehearser. Both runs see
// the same users, machines and noise.
type Rehearser struct{}

// rehearsalWarm is run before anything is recorded, at the load the stretch
// begins with: loops settle.
const rehearsalWarm = 2 * time.Minute

// Of a day with a peak: the load of an ordinary evening, and how the peak falls.
const (
	eveningLoad = 0.8
	nightLoad   = 1.2 // what stays of the peak
	peakFalls   = 150 * time.Second
	peakRises   = 10 * time.Second
)

// peakLoad is the load beside the nominal one, a time after the peak comes: an
// ordinary evening, a step within seconds, and an exponential fall.
func peakLoad(after time.Duration, peak float64) float64 {
	t := after.Seconds()
	switch rise := peakRises.Seconds(); {
	case t < 0:
		return eveningLoad
	case t < rise:
		return eveningLoad + (peak-eveningLoad)*t/rise
	default:
		rest := min(nightLoad, peak)
		return rest + (peak-rest)*math.Exp(-(t-rise)/peakFalls.Seconds())
	}
}

// Rehearse implements planner.Rehearser.
func (Rehearser) Rehearse(ctx context.Context, s *planner.Script) (*planner.Played, error) {
	r := &rehearsal{script: s, model: Standard(max(s.Machines, 1)), trace: dayOf(s.Day)}
	out := &planner.Played{Front: planner.Place{App: r.model.Apps[r.model.Points[Entry].App].Name, Point: r.model.Points[Entry].Name}}
	for at := s.From; at.Before(s.To); at = at.Add(s.Step) {
		out.Load = append(out.Load, round(peakLoad(at.Add(s.Step/2).Sub(s.Day.PeakAt), s.Day.Peak)))
	}
	// The two runs share nothing. A small machine plays them one after the other, so
	// that control keeps a core.
	var all sync.WaitGroup
	var with, without *courseRecorder
	var errs [2]error
	one := func() { without, errs[0] = r.play(ctx, s.Without) }
	two := func() { with, errs[1] = r.play(ctx, s.With) }
	if runtime.GOMAXPROCS(0) > 2 {
		all.Go(one)
		all.Go(two)
		all.Wait()
	} else {
		one()
		two()
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	busiest := without.busiest()
	out.Without, out.With = without.course(busiest), with.course(busiest)
	out.NotPlayed = r.unknown()
	return out, nil
}

// rehearsal is what both runs share.
type rehearsal struct {
	script *planner.Script
	model  *Model
	trace  *Trace
}

func dayOf(d planner.Day) *Trace {
	switch d.Kind {
	case planner.DayCode:
		return Code()
	case planner.DayGenerated:
		return generated(uint64(d.Seed))
	}
	return Conversation()
}

// generated draws an hour of users with the statistics of the conversation trace,
// but nothing of its order: arrivals are a Poisson process, loads independent.
func generated(seed uint64) *Trace {
	like := Conversation()
	t := &Trace{Name: "generated"}
	s := NewStream(seed, "generated")
	for at := 0.0; len(t.At) < len(like.At); at += s.Exp() / like.Rate() {
		load := math.Exp(like.logMean + like.logSD*normal[cell(s.Uint64())])
		t.At = append(t.At, int64(at*1e9))
		t.Context = append(t.Context, int32(min(max(math.Round(load), 1), 1e6)))
		t.Generated = append(t.Generated, 0)
	}
	t.summarise()
	return t
}

// play runs the engine under one course of order sets.
func (r *rehearsal) play(ctx context.Context, turns []planner.Turn) (*courseRecorder, error) {
	s := r.script
	from := s.From.Add(-rehearsalWarm)
	seed := uint64(s.Day.Seed)
	p := newOrdered(r.model, turns, from, seed)
	rec := newCourseRecorder(r.model, p, s.Step)
	copies := func(now int64) int {
		load := peakLoad(from.Add(time.Duration(now)).Sub(s.Day.PeakAt), s.Day.Peak)
		return max(int(math.Round(load*nominal*float64(len(r.model.IDCs)*r.model.Machines)/r.trace.Rate())), 1)
	}
	e := NewEngine(Config{Model: r.model, Controls: rec, Workload: WorkloadConfig{
		Trace: r.trace, Rate: copies(int64(rehearsalWarm)), Seed: seed, Start: int64(unit(Seed(seed, "start")) * float64(r.trace.Span)),
	}})
	p.engine, rec.engine = e, e
	second := int64(time.Second)
	end := int64(rehearsalWarm + s.To.Sub(s.From))
	for now := int64(0); now < end; now += second {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("the rehearsal was cut off: %w", err)
		}
		if now == int64(rehearsalWarm) {
			rec.begin()
		}
		e.SetRate(copies(max(now, int64(rehearsalWarm))))
		e.Run(now+second, math.MaxInt)
		p.Tick(e.Now())
		if since := now + second - int64(rehearsalWarm); since > 0 && since%int64(s.Step) == 0 {
			rec.look()
		}
	}
	return rec, nil
}

// unknown names what is ordered and the model has no counterpart of.
func (r *rehearsal) unknown() []string {
	var out []string
	for i := range r.script.With {
		for _, set := range r.script.With[i].Sets {
			for k := range set.Set.Orders {
				o := &set.Set.Orders[k]
				if p := r.model.Point(set.Set.App, o.Point); p < 0 {
					out = append(out, fmt.Sprintf("the model has no point %s of app %s", gear.Shown(o.Point), gear.Shown(set.Set.App)))
				}
			}
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}

// round keeps four digits: a stored series is read by people.
func round(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	scale := math.Pow(10, 4-math.Ceil(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

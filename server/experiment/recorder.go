package experiment

import (
	"context"
	"log/slog"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/telemetry"
)

const (
	// RecordEvery is how often what was heard is written.
	RecordEvery = 5 * time.Second
	// lateFor is how long after its end reports of an experiment still come in.
	lateFor = 20 * time.Second
)

// Windows is where reports come in.
type Windows interface {
	TakeBuckets() []telemetry.BucketMinute
}

// Recorder adds up what this replica hears of running experiments. Run it on every
// replica.
type Recorder struct {
	Store   Store
	Windows Windows
	Writer  string // this replica; the same after a restart
	Log     *slog.Logger

	open  map[SpanKey]*Span
	known []*Experiment
	late  map[string]time.Time // of experiments that ran a moment ago: until when
}

// Run works until ctx ends, then writes what is left.
func (r *Recorder) Run(ctx context.Context) {
	tick := time.NewTicker(RecordEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			_ = r.Turn(ctx) // the process ends: what cannot be written is lost
			cancel()
			return
		case <-tick.C:
			if err := r.Turn(ctx); err != nil && ctx.Err() == nil {
				r.Log.Warn("figures of experiments are behind", "spans", len(r.open), "error", err)
			}
		}
	}
}

// Turn takes what came in and writes it.
func (r *Recorder) Turn(ctx context.Context) error {
	now, err := r.Store.Now(ctx)
	if err == nil {
		err = r.look(ctx, now)
	}
	// Taken in any case: without anybody who asks it would pile up. Those of running
	// experiments stay in open while the database is away.
	minutes := r.Windows.TakeBuckets()
	for i := range minutes {
		for _, x := range r.known {
			if err2 := r.count(ctx, x, &minutes[i]); err2 != nil && err == nil {
				err = err2
			}
		}
	}
	if err != nil {
		return err
	}
	return r.write(ctx, now)
}

// look renews the list of those that run, and of those that ran a moment ago.
func (r *Recorder) look(ctx context.Context, now time.Time) error {
	running, err := r.Store.ListExperiments(ctx, Running, 1000)
	if err != nil {
		return err
	}
	if r.open == nil {
		r.open, r.late = map[SpanKey]*Span{}, map[string]time.Time{}
	}
	runs := map[string]bool{}
	for _, x := range running {
		runs[x.ID] = true
		r.late[x.ID] = now.Add(lateFor)
	}
	for _, x := range r.known {
		if !runs[x.ID] && now.Before(r.late[x.ID]) {
			running = append(running, x)
		} else if !runs[x.ID] {
			delete(r.late, x.ID)
		}
	}
	r.known = running
	return nil
}

// count adds a minute to the spans of an experiment that it concerns.
func (r *Recorder) count(ctx context.Context, x *Experiment, m *telemetry.BucketMinute) error {
	if !covers(x.Scope.Scene, m.Scene) || !covers(x.Scope.IDC, m.IDC) {
		return nil
	}
	for role, at := range x.Places() {
		if at.App != m.App || at.Point != m.Key.Point {
			continue
		}
		for i, g := range Ranges(x.Arms) {
			if g.Bucket() != m.Bucket {
				continue
			}
			k := SpanKey{x.ID, role, x.Arms[i].Name, spanAt(x, m.Minute), r.Writer}
			s := r.open[k]
			if s == nil {
				var err error
				if s, err = r.Store.GetSpan(ctx, k); err != nil {
					return err // this minute is lost for all arms alike
				}
				if s == nil {
					s = &Span{SpanKey: k}
				}
				r.open[k] = s
			}
			s.count(m)
		}
	}
	return nil
}

func covers(field, name string) bool { return field == gear.Any || field == name }

func (s *Span) count(m *telemetry.BucketMinute) {
	s.Requests += m.Count
	s.Timeouts += m.Timeouts
	s.Errors += m.Errors
	s.Shed += m.Shed
	s.RT += float64(m.RTSum.Microseconds())
	s.Value += m.Value
	s.Levels += m.LevelSum
	s.Blocks.Add(BlocksOf(&gear.BucketReport{Blocks: m.Blocks}))
	_ = s.Sketch.Merge(m.RT) // telemetry encoded it
}

// write saves what is open, and lets go of what takes no more.
func (r *Recorder) write(ctx context.Context, now time.Time) error {
	if len(r.open) == 0 {
		return nil
	}
	spans := make([]*Span, 0, len(r.open))
	for _, s := range r.open {
		spans = append(spans, s)
	}
	if err := r.Store.SaveSpans(ctx, spans); err != nil {
		return err
	}
	current := map[string]int{}
	for _, x := range r.known {
		current[x.ID] = spanAt(x, now.Unix()/60)
	}
	for k := range r.open {
		if at, ok := current[k.Experiment]; !ok || k.Index < at-1 {
			delete(r.open, k)
		}
	}
	return nil
}

package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/allspark/allspark/proto/sketch"
)

// Retention is how long history is kept.
type Retention struct{ Minutes, Hours time.Duration }

// Recorder writes finished minutes to history. Run it once per replica.
type Recorder struct {
	Windows *Windows
	Store   Store
	Writer  string // this replica; the same after a restart
	// Available gives the mean RT setpoint now ordered for a series, 0 when none. May be nil.
	Available func(k Key) time.Duration
	Retention func() Retention // asked before each pruning; nil keeps everything
	Now       func(ctx context.Context) (time.Time, error)
	Log       *slog.Logger

	open    map[Key]*openSeries
	minutes map[rowKey]*Slots // rows to be written
	hours   map[rowKey]*Slots
	resumed bool
	pruned  int64 // hour of the last pruning
	lost    int64
}

type rowKey struct {
	Key
	unit int64
}

// openSeries is the hour that goes on.
type openSeries struct {
	hour    int64
	slots   *Slots
	day     int64
	daily   *Slots
	rt      sketch.Sum // of the hour, while it holds all of its minutes
	partial bool       // minutes from before a restart are not in rt
}

// maxPending bounds rows kept while the database is away: six hours of 5,000 series.
const maxPending = 30000

// Run closes seconds and writes minutes until ctx ends, then writes what is left.
func (r *Recorder) Run(ctx context.Context) {
	if r.Log == nil {
		r.Log = slog.Default()
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			r.step(ctx)
			cancel()
			return
		case <-tick.C:
			r.step(ctx)
		}
	}
}

func (r *Recorder) step(ctx context.Context) {
	now, err := r.Now(ctx)
	if err == nil {
		err = r.Flush(ctx, now)
	}
	if err != nil && ctx.Err() == nil {
		r.Log.Warn("history is behind", "rows", len(r.minutes)+len(r.hours), "dropped", r.lost, "error", err)
	}
}

// Flush closes what is complete at now, and writes the minutes that are finished.
func (r *Recorder) Flush(ctx context.Context, now time.Time) error {
	r.Windows.Advance(now)
	if !r.resumed {
		if err := r.resume(ctx, now); err != nil {
			return err
		}
	}
	for _, m := range r.Windows.TakeMinutes() {
		r.record(m)
	}
	if err := r.write(ctx); err != nil {
		return err
	}
	return r.prune(ctx, now)
}

// resume takes up the hour and the day that an earlier run of this writer began.
func (r *Recorder) resume(ctx context.Context, now time.Time) error {
	r.open, r.minutes, r.hours = map[Key]*openSeries{}, map[rowKey]*Slots{}, map[rowKey]*Slots{}
	hour, day := now.Unix()/hourSeconds, now.Unix()/daySeconds
	ms, hs, err := r.Store.ResumeHistory(ctx, r.Writer, hour, day)
	if err != nil {
		return err
	}
	for i := range ms {
		o := r.series(ms[i].Key, hour)
		if o.slots.Parse(ms[i].Packed) != nil {
			*o.slots = Slots{} // a damaged row is begun anew
		}
		o.partial = true
	}
	for i := range hs {
		o := r.series(hs[i].Key, hour)
		if o.daily.Parse(hs[i].Packed) != nil {
			*o.daily = Slots{}
		}
	}
	r.resumed = true
	return nil
}

func (r *Recorder) series(k Key, hour int64) *openSeries {
	o := r.open[k]
	if o == nil {
		o = &openSeries{hour: hour, slots: &Slots{}, day: hour / 24, daily: &Slots{}}
		r.open[k] = o
	}
	return o
}

func (r *Recorder) record(m Minute) {
	hour := m.Minute / 60
	o := r.series(m.Key, hour)
	switch {
	case hour < o.hour:
		r.lost++ // minutes come in order; this one's hour is written
		return
	case hour > o.hour:
		r.finish(m.Key, o, hour)
	}
	s := m.Sample
	if r.Available != nil {
		s.AvailableUS = r.Available(m.Key).Microseconds()
	}
	o.slots.Set(int(m.Minute%60), s)
	if o.rt.Merge(m.RT) != nil {
		o.partial = true
	}
	r.pend(r.minutes, rowKey{m.Key, o.hour}, o.slots)
}

// finish turns the open hour into a sample of its day.
func (r *Recorder) finish(k Key, o *openSeries, next int64) {
	if o.slots.Present != 0 {
		s := o.slots.whole()
		if !o.partial && o.rt.Count() > 0 {
			s.P50US, s.P95US, s.P99US = exactUS(&o.rt, 0.50), exactUS(&o.rt, 0.95), exactUS(&o.rt, 0.99)
		}
		o.daily.Set(int(o.hour%24), s)
		r.pend(r.hours, rowKey{k, o.day}, o.daily)
	}
	// What waits to be written keeps its slots; the new hour gets its own.
	o.hour, o.slots, o.partial = next, &Slots{}, false
	o.rt.Reset()
	if day := next / 24; day != o.day {
		o.day, o.daily = day, &Slots{}
	}
}

func exactUS(s *sketch.Sum, q float64) int64 {
	us, _ := s.Quantile(q)
	return int64(us)
}

func (r *Recorder) pend(rows map[rowKey]*Slots, k rowKey, s *Slots) {
	if _, ok := rows[k]; !ok && len(rows) >= maxPending {
		r.lost++
		return
	}
	rows[k] = s
}

func (r *Recorder) write(ctx context.Context) error {
	if len(r.minutes)+len(r.hours) == 0 {
		return nil
	}
	pack := func(in map[rowKey]*Slots) []Row {
		out := make([]Row, 0, len(in))
		for k, s := range in {
			out = append(out, Row{Key: k.Key, Unit: k.unit, Writer: r.Writer, Packed: s.Append(nil)})
		}
		return out
	}
	if err := r.Store.SaveHistory(ctx, pack(r.minutes), pack(r.hours)); err != nil {
		return err
	}
	clear(r.minutes)
	clear(r.hours)
	return nil
}

// prune runs once an hour and finishes hours of series that fell silent.
func (r *Recorder) prune(ctx context.Context, now time.Time) error {
	hour := now.Unix() / hourSeconds
	if hour == r.pruned {
		return nil
	}
	for k, o := range r.open {
		if o.hour < hour && now.Unix()-(o.hour+1)*hourSeconds > 60 { // its last minute is in
			r.finish(k, o, hour)
			delete(r.open, k)
		}
	}
	if now.Unix()%hourSeconds <= 120 {
		return r.write(ctx) // ask again once the last minutes of the past hour are in
	}
	if err := r.write(ctx); err != nil {
		return err
	}
	if r.Retention != nil {
		keep := r.Retention()
		for range 1000 { // bounded batches; the rest is for the next hour
			_, done, err := r.Store.PruneHistory(ctx, now.Add(-keep.Minutes).Unix()/hourSeconds, now.Add(-keep.Hours).Unix()/daySeconds)
			if err != nil {
				return err
			}
			if done {
				break
			}
		}
	}
	r.pruned = hour
	return nil
}

package telemetry

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/allspark/allspark/server/fault"
)

// Row is one packed row of history.
type Row struct {
	Key    Key
	Unit   int64  // hour since 1970 for minutes, day since 1970 for hours
	Writer string // the replica that heard the agents
	Packed []byte // Slots
}

// Store keeps history.
type Store interface {
	// SaveHistory replaces rows by (Key, Unit, Writer): minutes are series-hours,
	// hours are series-days.
	SaveHistory(ctx context.Context, minutes, hours []Row) error
	// ReadMinutes gives series-hours with from <= Unit < to, by key and unit.
	ReadMinutes(ctx context.Context, f Filter, from, to int64) ([]Row, error)
	// ReadHours gives series-days with from <= Unit < to, by key and unit.
	ReadHours(ctx context.Context, f Filter, from, to int64) ([]Row, error)
	// ResumeHistory gives the writer's rows of one hour and one day.
	ResumeHistory(ctx context.Context, writer string, hour, day int64) (minutes, hours []Row, err error)
	// PruneHistory drops series-hours before hour and series-days before day, a
	// bounded number at a time; done is false when there is more to drop.
	PruneHistory(ctx context.Context, hour, day int64) (dropped int64, done bool, err error)
}

// History answers range queries.
type History struct{ Store Store }

// Series is a stretch of one series.
type Series struct {
	Key     Key
	Step    time.Duration
	Samples []Timed
}

// Timed is a sample and the start of its window.
type Timed struct {
	At time.Time
	Sample
}

// The most samples a query may ask for of one series: a week of minutes.
const maxSamples = 7*24*60 + 1

// Range gives the series that match in [from, to), by steps of whole minutes
// below an hour or of whole hours. Empty steps are left out.
func (h History) Range(ctx context.Context, f Filter, from, to time.Time, step time.Duration) ([]Series, error) {
	unit := time.Minute
	if step >= time.Hour {
		unit = time.Hour
	}
	switch {
	case step < time.Minute || step%unit != 0:
		return nil, fault.New(fault.Invalid, "step wants whole minutes below an hour, or whole hours, got %v", step)
	case !from.Before(to):
		return nil, fault.New(fault.Invalid, "from wants an instant before to")
	case to.Sub(from)/step > maxSamples:
		return nil, fault.New(fault.TooLarge, "at most %d steps, got %d", maxSamples, to.Sub(from)/step)
	}
	from = from.UTC().Truncate(unit)
	var grid grid
	var err error
	if unit == time.Minute {
		grid, err = h.minutes(ctx, f, from, to)
	} else {
		grid, err = h.hours(ctx, f, from, to)
	}
	if err != nil {
		return nil, err
	}
	return grid.series(from, to, step), nil
}

// grid is unit samples by key and instant (seconds since 1970), writers apart.
type grid map[Key]map[int64][]Sample

func (g grid) put(k Key, at int64, s Sample) {
	m := g[k]
	if m == nil {
		m = map[int64][]Sample{}
		g[k] = m
	}
	m[at] = append(m[at], s)
}

const (
	hourSeconds = 3600
	daySeconds  = 24 * hourSeconds
)

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

func (h History) minutes(ctx context.Context, f Filter, from, to time.Time) (grid, error) {
	rows, err := h.Store.ReadMinutes(ctx, f, from.Unix()/hourSeconds, ceilDiv(to.Unix(), hourSeconds))
	if err != nil {
		return nil, err
	}
	g := grid{}
	return g, g.unpack(rows, hourSeconds, 60)
}

// hours reads whole hours, and puts together from minutes those that no day has:
// the one that is not over, and any that a crash kept from being written.
func (h History) hours(ctx context.Context, f Filter, from, to time.Time) (grid, error) {
	rows, err := h.Store.ReadHours(ctx, f, from.Unix()/daySeconds, ceilDiv(to.Unix(), daySeconds))
	if err != nil {
		return nil, err
	}
	g := grid{}
	if err := g.unpack(rows, daySeconds, hourSeconds); err != nil {
		return nil, err
	}
	last := ceilDiv(to.Unix(), hourSeconds)
	recent, err := h.Store.ReadMinutes(ctx, f, max(from.Unix()/hourSeconds, last-2), last)
	if err != nil {
		return nil, err
	}
	for i := range recent {
		r := &recent[i]
		at := r.Unit * hourSeconds
		if len(g[r.Key][at]) > 0 && written(rows, r) {
			continue
		}
		var s Slots
		if err := s.Parse(r.Packed); err != nil {
			return nil, fault.Wrap(fault.Internal, err, "a row of history is damaged")
		}
		g.put(r.Key, at, s.whole())
	}
	return g, nil
}

// written tells whether the writer of the minutes has already written their hour.
func written(days []Row, m *Row) bool {
	for i := range days {
		d := &days[i]
		if d.Key == m.Key && d.Writer == m.Writer && d.Unit == m.Unit/24 {
			var s Slots
			return s.Parse(d.Packed) == nil && s.Has(int(m.Unit%24))
		}
	}
	return false
}

// whole combines all samples of a row.
func (s *Slots) whole() Sample {
	var in []Sample
	for i := range s.Samples {
		if s.Has(i) {
			in = append(in, s.Samples[i])
		}
	}
	return combine(in, false)
}

func (g grid) unpack(rows []Row, unit, step int64) error {
	var s Slots
	for i := range rows {
		if err := s.Parse(rows[i].Packed); err != nil {
			return fault.Wrap(fault.Internal, err, "a row of history is damaged")
		}
		for j := range s.Samples {
			if s.Has(j) {
				g.put(rows[i].Key, rows[i].Unit*unit+int64(j)*step, s.Samples[j])
			}
		}
	}
	return nil
}

func (g grid) series(from, to time.Time, step time.Duration) []Series {
	out := make([]Series, 0, len(g))
	for k, m := range g {
		windows := map[int64][]Timed{}
		for at, writers := range m {
			t := time.Unix(at, 0).UTC()
			if t.Before(from) || !t.Before(to) {
				continue
			}
			n := int64(t.Sub(from) / step)
			windows[n] = append(windows[n], Timed{t, combine(writers, true)})
		}
		s := Series{Key: k, Step: step, Samples: make([]Timed, 0, len(windows))}
		for n, in := range windows {
			slices.SortFunc(in, func(a, b Timed) int { return a.At.Compare(b.At) })
			parts := make([]Sample, len(in))
			for i := range in {
				parts[i] = in[i].Sample
			}
			s.Samples = append(s.Samples, Timed{from.Add(time.Duration(n) * step), combine(parts, false)})
		}
		slices.SortFunc(s.Samples, func(a, b Timed) int { return a.At.Compare(b.At) })
		if len(s.Samples) > 0 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Series) int {
		return cmp.Or(cmp.Compare(a.Key.App, b.Key.App), cmp.Compare(a.Key.Point, b.Key.Point),
			cmp.Compare(a.Key.IDC, b.Key.IDC), cmp.Compare(a.Key.Scene, b.Key.Scene))
	})
	return out
}

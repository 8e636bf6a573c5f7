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

// grid is unit samples by key, writers apart, in the order they were read: nearly
// sorted by time, so that sorting them is cheap.
type grid map[Key][]cell

type cell struct {
	at int64 // seconds since 1970
	Sample
}

func (g grid) put(k Key, at int64, s Sample) { g[k] = append(g[k], cell{at, s}) }

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
	written := map[rowID]uint64{} // hours of the day that each writer has written
	for i := range rows {
		written[rowID{rows[i].Key, rows[i].Unit, rows[i].Writer}] = present(rows[i].Packed)
	}
	var s Slots
	for i := range recent {
		r := &recent[i]
		if written[rowID{r.Key, r.Unit / 24, r.Writer}]>>(r.Unit%24)&1 == 1 {
			continue
		}
		if err := s.Parse(r.Packed); err != nil {
			return nil, fault.Wrap(fault.Internal, err, "a row of history is damaged")
		}
		g.put(r.Key, r.Unit*hourSeconds, s.whole())
	}
	return g, nil
}

type rowID struct {
	Key
	unit   int64
	writer string
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
	first, end, width := from.Unix(), to.Unix(), int64(step/time.Second)
	var writers, units []Sample
	for k, cells := range g {
		slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(a.at, b.at) })
		s := Series{Key: k, Step: step}
		for i := 0; i < len(cells); {
			if cells[i].at < first || cells[i].at >= end {
				i++
				continue
			}
			n := (cells[i].at - first) / width
			units = units[:0]
			for i < len(cells) && cells[i].at < end && (cells[i].at-first)/width == n {
				at := cells[i].at
				writers = writers[:0]
				for ; i < len(cells) && cells[i].at == at; i++ {
					writers = append(writers, cells[i].Sample)
				}
				units = append(units, combine(writers, true))
			}
			s.Samples = append(s.Samples, Timed{from.Add(time.Duration(n) * step), combine(units, false)})
		}
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

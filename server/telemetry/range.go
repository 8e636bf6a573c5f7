package telemetry

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/allspark/allspark/server/fault"
)

// pageSamples is how many unit samples are unpacked at a time: some 16 MB,
// whatever the span and however many series match.
const pageSamples = 1 << 17

// pageMax bounds the series of one statement.
const pageMax = 256

// Range gives the series that match in [from, to), by steps of whole minutes
// below an hour or of whole hours. Empty steps are left out.
func (h History) Range(ctx context.Context, f Filter, from, to time.Time, step time.Duration) ([]Series, error) {
	out := []Series{}
	for s, err := range h.Each(ctx, f, nil, from, to, step) {
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Series) int { return CompareKeys(a.Key, b.Key) })
	return out, nil
}

// CompareKeys orders series: by app, point, IDC and scene.
func CompareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.Point, b.Point), cmp.Compare(a.IDC, b.IDC), cmp.Compare(a.Scene, b.Scene))
}

// Each gives what Range gives, one series after the other and in one order of the
// store's: a page of them is read at a time, and no more than are taken. Of a
// series that wanted refuses nothing is read; nil wants all. An error ends it.
func (h History) Each(ctx context.Context, f Filter, wanted func(Key) bool, from, to time.Time, step time.Duration) iter.Seq2[Series, error] {
	return func(yield func(Series, error) bool) {
		q, err := questionOf(from, to, step)
		if err != nil {
			yield(Series{}, err)
			return
		}
		for after, more := (Key{}), true; more; {
			page, err := h.Store.ListSeries(ctx, f, after, q.page, q.hours, q.days)
			if err != nil {
				yield(Series{}, err)
				return
			}
			if more = len(page) == q.page; more {
				after = page[len(page)-1].Key
			}
			if wanted != nil {
				page = slices.DeleteFunc(page, func(n Numbered) bool { return !wanted(n.Key) })
			}
			g, err := h.read(ctx, page, &q)
			if err != nil {
				yield(Series{}, err)
				return
			}
			for _, n := range page {
				if s := g.series(n.Key, q.from, q.to, step); len(s.Samples) > 0 && !yield(s, nil) {
					return
				}
			}
		}
	}
}

// question is which rows a range is made of.
type question struct {
	from, to    time.Time
	hours, days Units
	page        int // series at a time
}

func questionOf(from, to time.Time, step time.Duration) (q question, err error) {
	unit := time.Minute
	if step >= time.Hour {
		unit = time.Hour
	}
	switch {
	case step < time.Minute || step%unit != 0:
		return q, fault.New(fault.Invalid, "step wants whole minutes below an hour, or whole hours, got %v", step)
	case !from.Before(to):
		return q, fault.New(fault.Invalid, "from wants an instant before to")
	case to.Sub(from)/step > maxSamples:
		return q, fault.New(fault.TooLarge, "at most %d steps, got %d", maxSamples, to.Sub(from)/step)
	}
	q.from, q.to = from.UTC().Truncate(unit), to
	q.hours = Units{q.from.Unix() / hourSeconds, ceilDiv(to.Unix(), hourSeconds)}
	samples := 60 * (q.hours.To - q.hours.From)
	if unit == time.Hour {
		q.days = Units{q.from.Unix() / daySeconds, ceilDiv(to.Unix(), daySeconds)}
		// The hours that no day has yet: the one that is not over, and the one before.
		q.hours.From = max(q.hours.From, q.hours.To-2)
		samples = 24 * (q.days.To - q.days.From)
	}
	q.page = int(min(pageMax, max(1, pageSamples/max(1, samples))))
	return q, nil
}

func (h History) read(ctx context.Context, of []Numbered, q *question) (grid, error) {
	g := make(grid, len(of))
	if len(of) == 0 {
		return g, nil
	}
	if q.days == (Units{}) {
		rows, err := h.Store.ReadMinutes(ctx, of, q.hours)
		if err != nil {
			return nil, err
		}
		return g, g.unpack(rows, hourSeconds, 60)
	}
	// Whole hours, and put together from minutes those that no day has: the one that
	// is not over, and any that a crash kept from being written.
	rows, err := h.Store.ReadHours(ctx, of, q.days)
	if err != nil {
		return nil, err
	}
	if err := g.unpack(rows, daySeconds, hourSeconds); err != nil {
		return nil, err
	}
	recent, err := h.Store.ReadMinutes(ctx, of, q.hours)
	if err != nil {
		return nil, err
	}
	return g, g.complete(rows, recent)
}

package telemetry

import (
	"cmp"
	"slices"
	"time"

	"github.com/allspark/allspark/server/fault"
)

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

// complete adds the hours that no day of the same writer has, out of their minutes.
func (g grid) complete(days, minutes []Row) error {
	written := map[rowID]uint64{} // hours of the day that each writer has written
	for i := range days {
		written[rowID{days[i].Key, days[i].Unit, days[i].Writer}] = present(days[i].Packed)
	}
	var s Slots
	for i := range minutes {
		r := &minutes[i]
		if written[rowID{r.Key, r.Unit / 24, r.Writer}]>>(r.Unit%24)&1 == 1 {
			continue
		}
		if err := s.Parse(r.Packed); err != nil {
			return fault.Wrap(fault.Internal, err, "a row of history is damaged")
		}
		g.put(r.Key, r.Unit*hourSeconds, s.whole())
	}
	return nil
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

// series puts writers together, and units to steps.
func (g grid) series(k Key, from, to time.Time, step time.Duration) Series {
	first, end, width := from.Unix(), to.Unix(), int64(step/time.Second)
	var writers, units []Sample
	cells := g[k]
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
	return s
}

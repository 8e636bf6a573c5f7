package telemetry

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

const (
	recentSeconds = 10
	// ring holds the ten seconds that are shown, two that are still open, and what
	// a late report may reach back to.
	ring = 16
	// completeAfter: second s takes no more reports from s+2 on.
	completeAfter = 2

	// StaleAfter is how long a silent point keeps its last values.
	StaleAfter = 5 * time.Second
	// ForgetAfter is how long a silent point is listed at all.
	ForgetAfter = 10 * time.Minute
)

// slot is one second of one series.
type slot struct {
	second int64
	tally
	parts [][]byte // agents' sketches, until the second is complete
	sum   []byte   // their sum, encoded, from then on
}

// series is guarded by its app's lock.
type series struct {
	key    Key
	slots  [ring]slot
	closed int64 // newest second that was closed
	first  int64 // second of the first report since it was last silent
	heard  time.Time

	minute      int64 // that minuteTally is of
	minuteTally tally
	minuteRT    sketch.Sum
}

// add counts a report for a second. A second that is closed takes no more.
func (s *series) add(second int64, p *gear.PointReport, cpu float64, now time.Time) verdict {
	if second <= s.closed {
		return late
	}
	sl := &s.slots[second%ring]
	if sl.second != second {
		sl.second, sl.tally, sl.parts, sl.sum = second, tally{}, sl.parts[:0], sl.sum[:0]
	}
	if now.Sub(s.heard) > StaleAfter {
		s.first = second
	}
	sl.report(p, cpu)
	if len(p.RT) > 0 {
		sl.parts = append(sl.parts, p.RT)
	}
	s.heard = now
	return admitted
}

// full tells that a report for the second would overwrite one that is not closed
// yet: nobody advanced the series for a while.
func (s *series) full(second int64) bool { return second > s.closed+ring }

// advance closes every second up to the newest complete one and hands finished
// minutes to done. scratch is any sum; it gives the number of sketches that could
// not be read.
func (s *series) advance(complete int64, scratch *sketch.Sum, done func(minute int64, m *tally, rt *sketch.Sum)) (bad int) {
	// INVARIANT: what is not closed lies in (closed, closed+ring]; see full.
	for second := s.closed + 1; second <= min(complete, s.closed+ring); second++ {
		if m := second / 60; m != s.minute {
			s.finish(done)
			s.minute = m
		}
		sl := &s.slots[second%ring]
		if sl.second != second || sl.agents == 0 {
			continue
		}
		scratch.Reset()
		for _, p := range sl.parts {
			if scratch.Merge(p) != nil {
				bad++
			}
		}
		clear(sl.parts) // let the reports go
		sl.parts = sl.parts[:0]
		sl.sum = scratch.AppendTo(sl.sum[:0])
		s.minuteTally.add(&sl.tally)
		s.minuteRT.Add(scratch)
	}
	s.closed = max(s.closed, complete)
	if s.minuteTally.agents > 0 && complete/60 > s.minute {
		s.finish(done)
	}
	return bad
}

func (s *series) finish(done func(minute int64, m *tally, rt *sketch.Sum)) {
	if s.minuteTally.agents > 0 {
		done(s.minute, &s.minuteTally, &s.minuteRT)
		s.minuteTally = tally{}
		s.minuteRT.Reset()
	}
}

// last gives the newest complete second that has reports, if it is fresh: one
// machine's windows drift, so a single second may be empty.
func (s *series) last(complete int64, scratch *sketch.Sum) *Rollup {
	for second := complete; second > complete-2; second-- {
		if sl := s.at(second); sl != nil {
			scratch.Reset()
			_ = scratch.Merge(sl.sum) // we encoded it ourselves
			r := sl.rollup(time.Unix(second+1, 0).UTC(), time.Second, scratch)
			return &r
		}
	}
	return nil
}

// recent joins the ten seconds up to the newest complete one.
func (s *series) recent(complete int64, scratch *sketch.Sum) *Rollup {
	var t tally
	scratch.Reset()
	for second := complete - recentSeconds + 1; second <= complete; second++ {
		if sl := s.at(second); sl != nil {
			t.add(&sl.tally)
			_ = scratch.Merge(sl.sum)
		}
	}
	if t.agents == 0 {
		return nil
	}
	covered := min(recentSeconds, max(1, complete-s.first+1))
	r := t.rollup(time.Unix(complete+1, 0).UTC(), time.Duration(covered)*time.Second, scratch)
	return &r
}

func (s *series) at(second int64) *slot {
	if second < 0 {
		return nil
	}
	if sl := &s.slots[second%ring]; sl.second == second && sl.agents > 0 {
		return sl
	}
	return nil
}

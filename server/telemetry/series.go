package telemetry

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

const (
	recentSeconds = 10
	// ring holds the ten seconds that are shown, which may end peerLag before the
	// newest complete one, two that are still open, and the one that is to come.
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

// seconds are the newest of a series, as one replica heard them.
type seconds struct {
	slots [ring]slot
	first int64 // second of the first report since it was last silent
	heard time.Time
}

// series is guarded by its app's lock.
type series struct {
	key Key
	seconds
	closed int64 // newest second that was closed

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

// last gives the newest second up to end that has reports, if it is fresh: one
// machine's windows drift, so a single second may be empty.
func last(parts []*seconds, end int64, scratch *sketch.Sum) *Rollup {
	for second := end; second > end-2; second-- {
		scratch.Reset()
		if t := sum(parts, second, scratch); t.agents > 0 {
			r := t.rollup(time.Unix(second+1, 0).UTC(), time.Second, scratch)
			return &r
		}
	}
	return nil
}

// recent joins the ten seconds up to end.
func recent(parts []*seconds, end int64, scratch *sketch.Sum) *Rollup {
	var all tally
	scratch.Reset()
	first := end
	for second := end - recentSeconds + 1; second <= end; second++ {
		t := sum(parts, second, scratch)
		all.add(&t)
	}
	if all.agents == 0 {
		return nil
	}
	for _, p := range parts {
		if p.first > 0 {
			first = min(first, p.first)
		}
	}
	covered := min(recentSeconds, max(1, end-first+1))
	r := all.rollup(time.Unix(end+1, 0).UTC(), time.Duration(covered)*time.Second, scratch)
	return &r
}

// sum adds up one second of all replicas: they hear different agents.
func sum(parts []*seconds, second int64, into *sketch.Sum) (t tally) {
	for _, p := range parts {
		if sl := p.at(second); sl != nil {
			agents := t.agents
			t.add(&sl.tally)
			t.agents = agents + sl.agents
			_ = into.Merge(sl.sum) // we, or a peer's build of this, encoded it
		}
	}
	return t
}

func (s *seconds) at(second int64) *slot {
	if second < 0 {
		return nil
	}
	if sl := &s.slots[second%ring]; sl.second == second && sl.agents > 0 {
		return sl
	}
	return nil
}

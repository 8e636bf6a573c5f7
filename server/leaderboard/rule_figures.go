package leaderboard

import (
	"math"
	"time"

	"github.com/allspark/allspark/server/telemetry"
)

// turnBand is the share of a point's range that a level must go back by to count
// as a turn: five of a hundred levels. A loop that holds its setpoint moves by
// less; one that swings between two levels of ten moves by more.
const turnBand = 0.05

// atFloor is how far above the lowest level a sample's mean may lie and still be
// at it: a sample of many requests is rarely at exactly one level.
const atFloor = 0.05

// Span is a stretch of time, [From, To).
type Span struct{ From, To time.Time }

// Bounds is the range of a point's levels.
type Bounds struct{ Floor, Ceiling int }

// Figures is how a level stood and moved over a stretch.
type Figures struct {
	Level      float64 // 0 for groups
	Height     float64
	Movement   float64 // levels an hour
	Flaps      float64 // turns an hour
	Floor      float64 // share of time
	Overridden float64 // share of time
	Requests   int64
	Covered    time.Duration
}

// measure gives the figures of one series; ok is false when nothing was asked.
func measure(samples []telemetry.Timed, step time.Duration, b Bounds, manual []Span) (f Figures, ok bool) {
	b = boundsOf(samples, b)
	var levels, moved float64
	var floor, held time.Duration
	turns := turnCounter{band: math.Max(1, turnBand*float64(b.Ceiling-b.Floor))}
	var last float64
	var lastAt time.Time
	for i := range samples {
		s := &samples[i]
		if s.Count <= 0 || s.LevelCenti <= 0 {
			continue
		}
		level := float64(s.LevelCenti) / 100
		levels += level * float64(s.Count)
		f.Requests += s.Count
		f.Covered += step
		if b.Ceiling > b.Floor && level <= float64(b.Floor)+atFloor { // one level is no floor
			floor += step
		}
		held += overlap(manual, s.At, s.At.Add(step))
		if !lastAt.IsZero() && s.At.Sub(lastAt) == step { // across a gap nobody saw it move
			moved += math.Abs(level - last)
		}
		last, lastAt = level, s.At
		turns.see(level)
	}
	if f.Requests == 0 {
		return Figures{}, false
	}
	hours := f.Covered.Hours()
	f.Level = levels / float64(f.Requests)
	f.Height = height(f.Level, b)
	f.Movement, f.Flaps = moved/hours, float64(turns.n)/hours
	f.Floor = floor.Seconds() / f.Covered.Seconds()
	f.Overridden = math.Min(1, held.Seconds()/f.Covered.Seconds())
	return f, true
}

// boundsOf fills in a range that no order states from the levels that were used.
func boundsOf(samples []telemetry.Timed, b Bounds) Bounds {
	if b.Floor > 0 && b.Ceiling > 0 {
		return b
	}
	b = Bounds{}
	for i := range samples {
		s := &samples[i]
		if s.LevelMin > 0 && (b.Floor == 0 || int(s.LevelMin) < b.Floor) {
			b.Floor = int(s.LevelMin)
		}
		b.Ceiling = max(b.Ceiling, int(s.LevelMax))
	}
	return b
}

// height places a level between floor and ceiling; where they are one level,
// the point is as high as it can be.
func height(level float64, b Bounds) float64 {
	if b.Ceiling <= b.Floor {
		return 1
	}
	return math.Max(0, math.Min(1, (level-float64(b.Floor))/float64(b.Ceiling-b.Floor)))
}

// overlap is how much of [from, to) the spans cover together.
//
// INVARIANT: spans are sorted and do not overlap; see merge.
func overlap(spans []Span, from, to time.Time) (sum time.Duration) {
	for _, s := range spans {
		lo, hi := s.From, s.To
		if lo.Before(from) {
			lo = from
		}
		if hi.After(to) {
			hi = to
		}
		if hi.After(lo) {
			sum += hi.Sub(lo)
		}
	}
	return sum
}

// turnCounter counts changes of direction by at least the band.
type turnCounter struct {
	band      float64
	way       int // of the last move by the band: 1 up, -1 down, 0 none yet
	high, low float64
	begun     bool
	n         int
}

func (t *turnCounter) see(level float64) {
	if !t.begun {
		t.begun, t.high, t.low = true, level, level
		return
	}
	t.high, t.low = math.Max(t.high, level), math.Min(t.low, level)
	switch {
	case t.way >= 0 && level <= t.high-t.band:
		if t.way > 0 {
			t.n++
		}
		t.way, t.low = -1, level
	case t.way <= 0 && level >= t.low+t.band:
		if t.way < 0 {
			t.n++
		}
		t.way, t.high = 1, level
	case t.way > 0:
		t.low = level // only the fall from the last high counts
	case t.way < 0:
		t.high = level
	}
}

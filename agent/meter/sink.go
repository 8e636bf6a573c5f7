package meter

import "time"

// Sink is told of the requests of one local loop, besides the count.
type Sink interface {
	// Record tells of a request that was done or timed out, and whether it was held
	// out of the loop's downgrading.
	Record(load float64, held bool, elapsed time.Duration)
}

// A code is a level, and above it whether the request was held out, the place of a
// sink and of a block of an arm. Requests that no loop decided and that are in no
// arm have a plain level and pay nothing for this.
const (
	levelMask  = 1<<8 - 1
	heldOut    = 1 << 8
	sinkShift  = 9
	maxSinks   = 1 << 16
	sinkMask   = maxSinks - 1
	blockShift = 25
	blockMask  = 1<<5 - 1
	armShift   = 30
	maxArms    = 1<<10 - 1
	armMask    = maxArms // 0: none
	hasSink    = 1 << 40
	coded      = 1 << 41
)

// Coded joins a level with what a loop decided: Record takes it for the level.
func Coded(level, sink int, held bool) int {
	c := coded | hasSink | sink<<sinkShift | level
	if held {
		c |= heldOut
	}
	return c
}

// LevelOf gives the level of a code, or of a plain level.
func LevelOf(code int) int { return code & levelMask }

// Attach gives a sink its place in the cell; the same sink keeps it.
func (c *Cell) Attach(s Sink) int {
	for {
		old := c.sinks.Load()
		var list []Sink
		if old != nil {
			list = *old
		}
		for i, x := range list {
			if x == s {
				return i
			}
		}
		if len(list) == maxSinks {
			return maxSinks - 1 // that many loops came and went at one place: their last requests go to one
		}
		next := append(list[:len(list):len(list)], s)
		if c.sinks.CompareAndSwap(old, &next) {
			return len(next) - 1
		}
	}
}

// decode takes a code apart and tells the sink. A request that was refused or
// failed says nothing of what work costs: an error that comes at once would make
// a loop add work.
//
//go:noinline
func (c *Cell) decode(code int, outcome Outcome, elapsed time.Duration, load, value float64) (level int) {
	if code < coded {
		return MaxLevel
	}
	if code&hasSink != 0 && (outcome == OK || outcome == Timeout) {
		if list := c.sinks.Load(); list != nil {
			if i := code >> sinkShift & sinkMask; i < len(*list) {
				(*list)[i].Record(load, code&heldOut != 0, elapsed)
			}
		}
	}
	level = min(LevelOf(code), MaxLevel)
	if i := code >> armShift & armMask; i > 0 {
		if list := c.arms.Load(); list != nil && i <= len(*list) {
			(*list)[i-1].record(code>>blockShift&blockMask, level, outcome, elapsed, value)
		}
	}
	return level
}

package meter

import (
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/proto/sketch"
)

// Outcome is how a request ended.
type Outcome uint8

// The outcomes. The zero Outcome is OK.
const (
	OK Outcome = iota
	Timeout
	Error
	Shed

	outcomes = 4
)

const (
	// MaxLevel is the highest level that is told apart.
	MaxLevel = 100

	countBits = 24
	countMask = 1<<countBits - 1

	groupBits = 3 // levels are allocated eight at a time: 256 bytes a group in use
	groupSize = 1 << groupBits
	groups    = MaxLevel>>groupBits + 1

	fixedPoint = 1 << 20
	maxAmount  = 1e9 // of one request's load or value; a sum of 8,000 such fits
)

type group [groupSize][outcomes]atomic.Uint64

// Cell counts the requests of one point and scene. Its zero value is ready. All
// methods may be called by any number of goroutines at once.
type Cell struct {
	byLevel [groups]atomic.Pointer[group]
	load    atomic.Int64
	value   atomic.Int64
	rt      sketch.Sketch
	levels  levels
	sinks   atomic.Pointer[[]Sink]
	arms    atomic.Pointer[[]*arm]
}

// Record counts one request of a level, or of a Coded one.
func (c *Cell) Record(level int, outcome Outcome, elapsed time.Duration, load, value float64) {
	if uint(level) > MaxLevel {
		level = c.decode(level, outcome, elapsed, load, value)
	}
	g := c.byLevel[uint(level)>>groupBits].Load()
	if g == nil {
		g = c.grow(uint(level) >> groupBits)
	}
	var us uint64
	if outcome != Shed {
		if elapsed > 0 {
			us = min(uint64(elapsed)/uint64(time.Microsecond), sketch.MaxValue)
		}
		c.rt.Record(us)
	}
	word := g[uint(level)&(groupSize-1)][outcome&(outcomes-1)].Add(us<<countBits | 1)
	if word&sampleMask == 1 {
		c.levels.sample(level, outcome, us, load, value)
	}
	if load > 0 && load <= maxAmount { // NaN fails both
		c.load.Add(int64(load * fixedPoint))
	}
	if value != 0 && value >= -maxAmount && value <= maxAmount {
		c.value.Add(int64(value * fixedPoint))
	}
}

// grow is kept out of Record: it runs once a group.
//
//go:noinline
func (c *Cell) grow(i uint) *group {
	fresh := new(group)
	if c.byLevel[i].CompareAndSwap(nil, fresh) {
		return fresh
	}
	return c.byLevel[i].Load() // another request came first
}

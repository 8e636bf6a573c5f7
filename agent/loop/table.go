package loop

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// slot is what a request of one bin does.
type slot struct {
	up, hold   uint32 // of 2^32 random words: one level up, and the hold-out at the top
	level, top uint8
}

// table is the crowds' work as levels, by bin. It is immutable: a request reads
// one table, whatever is published meanwhile.
type table [Bins]slot

// Crowds is what the requests of one order look at: the table in force, and the
// cells they are counted in. All methods may be called at once from anywhere;
// none takes a lock.
type Crowds struct {
	table  atomic.Pointer[table]
	cells  *shelf
	within uint64 // available RT in µs: a hold-out request within it was good
}

// Mark is what the end of a request must know of its beginning: its bin and
// whether it was held out. The zero Mark is that of no request.
type Mark uint16

const (
	markSet  = Mark(1 << 8)
	markHeld = Mark(1 << 9)
)

// Bin is the request's bin of the grid.
func (m Mark) Bin() int { return int(m) & (Bins - 1) }

// Held tells whether the request ran at the top to see what downgrading costs.
func (m Mark) Held() bool { return m&markHeld != 0 }

// Pick gives the level of one request of a load. The level is one of the order's
// table: within [min, level] of the order that made these Crowds.
func (c *Crowds) Pick(load float64) (level int, m Mark) {
	b := Bin(load)
	s := &c.table.Load()[b&(Bins-1)]
	w := rand.Uint64()
	m = Mark(b) | markSet
	if uint32(w>>32) < s.hold {
		return int(s.top), m | markHeld
	}
	level = int(s.level)
	if uint32(w) < s.up {
		level++
	}
	return level, m
}

// Record counts a request that ended.
func (c *Crowds) Record(m Mark, elapsed time.Duration) {
	x := c.cells.Load()
	if x == nil {
		x = c.cells.grow()
	}
	var us uint64
	if elapsed > 0 {
		us = min(uint64(elapsed)/uint64(time.Microsecond), maxMicros)
	}
	if m.Held() {
		x.held[m.Bin()].word.Add(us<<countBits | 1)
		if us <= c.within {
			x.held[m.Bin()].good.Add(1)
		}
		return
	}
	x.bins[m.Bin()].word.Add(us<<countBits | 1)
	us = min(us, maxSquared)
	x.bins[m.Bin()].square.Add(us * us)
}

// share turns a probability into a threshold of a 32-bit random word.
func share(p float64) uint32 {
	return uint32(min(max(p, 0)*(1<<32), math.MaxUint32))
}

// bounds are the levels an order leaves to its crowds: Level is start and cap.
type bounds struct{ lo, hi int }

// mixes turns the crowds' work into levels.
func (s *State) mixes(set Settings, work []float64, b bounds) (out [MaxCrowds]Mix) {
	for k := range s.Count {
		if set.Pinned {
			out[k] = Mix{Level: b.hi}
		} else {
			out[k] = LevelsOf(work, s.Crowds[k].Work, b.lo, b.hi)
		}
	}
	return out
}

// tableOf lays the crowds out by bin.
func tableOf(s *State, mixes *[MaxCrowds]Mix, set Settings, b bounds) *table {
	t := new(table)
	for bin := range t {
		m := mixes[s.Assign[bin]]
		x := slot{level: uint8(m.Level), up: share(m.Up), top: uint8(b.hi)}
		if m.Level < b.hi && !set.Pinned {
			x.hold = share(set.HoldOut)
		}
		t[bin] = x
	}
	return t
}

// below is the share of a crowd's requests that run below the cap.
func below(m Mix, b bounds) float64 {
	switch {
	case m.Level >= b.hi:
		return 0
	case m.Level == b.hi-1:
		return 1 - m.Up
	}
	return 1
}

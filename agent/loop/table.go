package loop

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
)

// slot is what a request of one bin does.
type slot struct {
	up, hold   uint32 // of 2^32 random words: one level up, and the hold-out at the top
	level, top uint8
}

// table is the crowds' work as levels, by bin. It is immutable: a request reads
// one table, whatever is published meanwhile.
type table [Bins]slot

// Crowds is what the requests of one order look at. All methods may be called at
// once from anywhere; none takes a lock.
type Crowds struct {
	table atomic.Pointer[table]
	sink  *Sink
}

// Sink is where the requests of the loop are counted; it is the same for all
// orders of a loop.
func (c *Crowds) Sink() *Sink { return c.sink }

// Pick gives the level of one request of a load, within [min, level] of the order
// that made these Crowds. held tells that it runs at the order's level to show
// what downgrading costs.
func (c *Crowds) Pick(load float64) (level int, held bool) {
	s := &c.table.Load()[Bin(load)&(Bins-1)]
	w := rand.Uint64()
	if uint32(w>>32) < s.hold {
		return int(s.top), true
	}
	level = int(s.level)
	if uint32(w) < s.up {
		level++
	}
	return level, false
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

package meter

import (
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

// arm counts the requests of one bucket of a cell, besides the cell itself. Only
// requests of divided traffic come here.
type arm struct {
	bucket string
	sums   atomic.Pointer[armSums] // nil until its first request: most scenes have none
	idle   int                     // drains without a request; guarded by the Meter's lock
}

// idleDrains is after how many drains without a request the sums of a bucket go: an
// experiment has ended. A request that ends just then is not counted by bucket.
const idleDrains = 60

type armSums struct {
	rt        sketch.Sketch
	blocks    [gear.Blocks]block
	levels    atomic.Int64 // sum
	levelsSet [2]atomic.Uint64
}

// block is one group of the bucket's users. Words are as in a Cell.
type block struct {
	words [outcomes]atomic.Uint64
	value atomic.Int64
}

// Arm gives a bucket its place in the cell, from 1 on; 0 when there were too many.
// The same bucket keeps its place.
func (c *Cell) Arm(bucket string) int {
	for {
		old := c.arms.Load()
		var list []*arm
		if old != nil {
			list = *old
		}
		for i, x := range list {
			if x.bucket == bucket {
				return i + 1
			}
		}
		if len(list) == maxArms {
			return 0
		}
		next := append(list[:len(list):len(list)], &arm{bucket: bucket})
		if c.arms.CompareAndSwap(old, &next) {
			return len(next)
		}
	}
}

// Armed adds to a level, or a Coded one, the arm and the block of a request.
func Armed(level, arm, block int) int {
	if arm == 0 {
		return level
	}
	return level | coded | arm<<armShift | block<<blockShift
}

func (a *arm) record(block, level int, outcome Outcome, elapsed time.Duration, value float64) {
	s := a.sums.Load()
	if s == nil {
		s = new(armSums)
		if !a.sums.CompareAndSwap(nil, s) {
			s = a.sums.Load()
		}
	}
	var us uint64
	if outcome != Shed {
		if elapsed > 0 {
			us = min(uint64(elapsed)/uint64(time.Microsecond), sketch.MaxValue)
		}
		s.rt.Record(us)
	}
	b := &s.blocks[block%gear.Blocks]
	b.words[outcome&(outcomes-1)].Add(us<<countBits | 1)
	if value != 0 && value >= -maxAmount && value <= maxAmount {
		b.value.Add(int64(value * fixedPoint))
	}
	s.levels.Add(int64(level))
	if w, bit := &s.levelsSet[level>>6], uint64(1)<<(level&63); w.Load()&bit == 0 {
		w.Or(bit)
	}
}

// DrainBuckets takes what was counted by bucket since the last time. A bucket that
// no order names any more is given until it has nothing left.
func (m *Meter) DrainBuckets() []gear.BucketReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []gear.BucketReport
	for _, k := range m.order {
		list := m.cells[k].arms.Load()
		if list == nil {
			continue
		}
		for _, a := range *list {
			if r, ok := a.drain(); ok {
				r.Scene, r.Point = k.scene, k.point
				out = append(out, r)
			}
		}
	}
	return out
}

func (a *arm) drain() (gear.BucketReport, bool) {
	r := gear.BucketReport{Bucket: a.bucket}
	s := a.sums.Load()
	if s == nil {
		return r, false
	}
	for i := range s.blocks {
		from, to := &s.blocks[i], &r.Blocks[i]
		for o := range from.words {
			if from.words[o].Load() == 0 {
				continue
			}
			word := from.words[o].Swap(0)
			n := int64(word & countMask)
			to.Count += n
			to.RTSum += time.Duration(word>>countBits) * time.Microsecond
			switch Outcome(o) {
			case OK:
				r.OK += n
			case Timeout:
				to.Timeouts += n
			case Error:
				r.Errors += n
			case Shed:
				to.Shed += n
			}
		}
		to.Value = float64(from.value.Swap(0)) / fixedPoint
		r.Count, r.Timeouts, r.Shed = r.Count+to.Count, r.Timeouts+to.Timeouts, r.Shed+to.Shed
		r.RTSum, r.Value = r.RTSum+to.RTSum, r.Value+to.Value
	}
	if r.Count == 0 {
		if a.idle++; a.idle >= idleDrains {
			a.sums.Store(nil)
		}
		return r, false
	}
	a.idle = 0
	r.RT = s.rt.Drain(nil)
	r.LevelSum = s.levels.Swap(0)
	set := [2]uint64{s.levelsSet[0].Swap(0), s.levelsSet[1].Swap(0)}
	r.LevelMin = -1
	for l := range MaxLevel + 1 {
		if set[l>>6]>>(l&63)&1 == 1 {
			if r.LevelMin < 0 {
				r.LevelMin = l
			}
			r.LevelMax = l
		}
	}
	r.LevelMin = max(r.LevelMin, 0)
	return r, true
}

package meter

import (
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// tally sums the words of a cell into a report.
type tally struct{ gear.PointReport }

func (t *tally) addLevel(level int, row *[outcomes]atomic.Uint64) {
	var n int64
	for o := range row {
		if row[o].Load() == 0 { // a plain read is far cheaper than an exchange
			continue
		}
		word := row[o].Swap(0)
		count := int64(word & countMask)
		n += count
		t.RTSum += time.Duration(word>>countBits) * time.Microsecond
		switch Outcome(o) {
		case OK:
			t.OK += count
		case Timeout:
			t.Timeouts += count
		case Error:
			t.Errors += count
		case Shed:
			t.Shed += count
		}
	}
	if n == 0 {
		return
	}
	if t.Count == 0 {
		t.LevelMin = level
	}
	t.LevelMax = level
	t.Count += n
	t.LevelSum += n * int64(level)
}

func (c *Cell) drain() (gear.PointReport, bool) {
	var t tally
	for g := range c.byLevel {
		rows := c.byLevel[g].Load()
		if rows == nil {
			continue
		}
		for i := range rows {
			t.addLevel(g<<groupBits|i, &rows[i])
		}
	}
	if t.Count == 0 {
		return t.PointReport, false
	}
	t.RT = c.rt.Drain(nil)
	t.Load = float64(c.load.Swap(0)) / fixedPoint
	c.levels.saw(t.Load / float64(t.Count))
	t.Value = float64(c.value.Swap(0)) / fixedPoint
	return t.PointReport, true
}

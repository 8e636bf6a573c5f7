package meter

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

// The first request of a level and outcome in a window and every 32nd after it are
// looked at closely: profiles are learnt over hours, and the others pay nothing.
// The count that Record adds to anyhow tells which.
const sampleMask = 32 - 1

// Classes of load, relative to the mean of the place: heavy users are heavy at
// every point, so tails of a whole request are made class by class.
const (
	classAll    = "all" // no load was given
	classLight  = "light"
	classMiddle = "middle"
	classHeavy  = "heavy"

	lightBelow = 0.5
	heavyFrom  = 1.5
)

// Work is what a request cost and earned at a point, as far as the app knows. Zero
// is not known.
type Work struct {
	CPU    float64 // core-milliseconds
	Taken  int     // results taken from the point before
	Output int     // results handed on
	Effect float64 // what the point added to the answer's worth, in any unit that all points share
}

// levels hold, by level and class of load, what profiles are learnt from.
type levels struct {
	mean atomic.Uint64 // bits of the mean load of the window before

	mu    sync.Mutex
	cells map[levelKey]*levelSums
}

type levelKey struct {
	level int
	class string
}

type levelSums struct {
	rt       sketch.Sum
	count    int64
	value    float64
	worked   int64
	work     Work
	takenMax int
}

func (l *levels) class(load float64) (string, bool) {
	if !(load > 0 && load <= maxAmount) {
		return classAll, true
	}
	switch mean := math.Float64frombits(l.mean.Load()); {
	case mean <= 0:
		return "", false // of the first window nobody knows what is heavy
	case load < lightBelow*mean:
		return classLight, true
	case load < heavyFrom*mean:
		return classMiddle, true
	}
	return classHeavy, true
}

// at finds the sums of a level and class. l.mu is held.
func (l *levels) at(level int, class string) *levelSums {
	k := levelKey{level, class}
	s := l.cells[k]
	if s == nil {
		s = &levelSums{}
		if l.cells == nil {
			l.cells = map[levelKey]*levelSums{}
		}
		l.cells[k] = s
	}
	return s
}

// sample keeps one request. What was refused or failed says nothing of work.
//
//go:noinline
func (l *levels) sample(level int, outcome Outcome, us uint64, load, value float64) {
	if level == 0 || outcome != OK && outcome != Timeout {
		return
	}
	class, ok := l.class(load)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.at(level, class)
	s.rt.Record(us, 1)
	s.count++
	if value >= -maxAmount && value <= maxAmount {
		s.value += value
	}
}

// Worked notes what a request of a level, or of a Coded one, cost and earned.
func (c *Cell) Worked(level int, load float64, w Work) {
	l := &c.levels
	class, ok := l.class(load)
	if level = LevelOf(level); level <= 0 || level > MaxLevel || !ok || w.Taken < 0 || w.Output < 0 ||
		!(w.CPU >= 0 && w.CPU <= maxAmount && w.Effect >= -maxAmount && w.Effect <= maxAmount) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.at(level, class)
	s.worked++
	s.work.CPU += w.CPU
	s.work.Taken += w.Taken
	s.work.Output += w.Output
	s.work.Effect += w.Effect
	s.takenMax = max(s.takenMax, w.Taken)
}

// saw notes the mean load of a window.
func (l *levels) saw(mean float64) {
	if mean > 0 {
		l.mean.Store(math.Float64bits(mean))
	}
}

// DrainLevels takes what was kept by level since the last time.
func (m *Meter) DrainLevels() []gear.LevelReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []gear.LevelReport
	for _, k := range m.order {
		l := &m.cells[k].levels
		l.mu.Lock()
		cells := l.cells
		l.cells = nil
		l.mu.Unlock()
		for at, s := range cells {
			out = append(out, gear.LevelReport{
				Scene: k.scene, Point: k.point, Level: at.level, Class: at.class,
				Count: s.count, RT: s.rt.AppendTo(nil), Value: s.value,
				Worked: s.worked, CPU: s.work.CPU, Taken: int64(s.work.Taken), TakenMax: int64(s.takenMax), Output: int64(s.work.Output), Effect: s.work.Effect,
			})
		}
	}
	return out
}

package gearbox

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

// Set is everything that is in force at one moment. It is immutable.
type Set struct {
	Version  gear.Version
	Rung     gear.Rung
	entries  []Entry // scene s of point p at p*scenes + s; scene 0 is "*"
	defaults []*Rule // by point: the app's declared defaults
	scenes   int
	points   int
}

// Entry is what holds at one point for one scene.
type Entry struct {
	Rule *Rule
	Cell *meter.Cell
	// Buckets is nil at nearly every point: requests hash their key only where
	// orders divide the traffic.
	Buckets *Buckets
}

// Rule is one order made ready for requests.
type Rule struct {
	Row     *Row        // of the level that answers
	Rows    []Row       // of all levels, from level 1; nil on the app's defaults
	Work    []float64   // the work factor of each level
	Order   *gear.Order // nil on the app's defaults
	Timeout time.Duration
	Version gear.Version
	Rung    gear.Rung

	// Loop says that a local loop has a say: one of the two below is set. Requests
	// of other rules look at nothing else.
	Loop    bool
	Crowds  *loop.Crowds          // crowd_rt: levels by predicted RT; the levels of Rows are meter codes
	HeldOut *Row                  // of a request of the hold-out
	Edge    *atomic.Pointer[Rule] // external_timeout: this rule with the timeout of now
}

// Row holds the values of one level, by slot: the place of a parameter in its
// point's declaration.
type Row struct {
	Point int
	Level int // 0 on the app's defaults; a meter.Coded one where a crowd loop decides
	// Nums holds ints and durations as they are, floats as their bits, bools as 0
	// or 1; Texts strings and enums, and is nil at a point without any. Both are read only.
	Nums  []uint64
	Texts []string
}

// Entry finds what holds at a point. A scene the set does not know is "*".
func (s *Set) Entry(point, scene int) *Entry {
	if uint(scene) >= uint(s.scenes) {
		scene = 0
	}
	return &s.entries[point*s.scenes+scene]
}

// Default gives the declared defaults of a point.
func (s *Set) Default(point int) *Row { return s.defaults[point].Row }

// RungAt tells which step of the ladder answers at a point, for scene "*".
func (s *Set) RungAt(point int) gear.Rung {
	if uint(point) >= uint(s.points) {
		return gear.RungDefault
	}
	return s.entries[point*s.scenes].Rule.Rung
}

// newRow lays out the values of one level.
func newRow(point, level int, values []gear.Value) Row {
	r := Row{Point: point, Level: level, Nums: make([]uint64, len(values))}
	for i, v := range values {
		switch v.Kind() {
		case gear.KindInt:
			r.Nums[i] = uint64(v.Int())
		case gear.KindFloat:
			r.Nums[i] = math.Float64bits(v.Float())
		case gear.KindDuration:
			r.Nums[i] = uint64(v.Duration())
		case gear.KindBool:
			if v.Bool() {
				r.Nums[i] = 1
			}
		case gear.KindString, gear.KindEnum:
			if r.Texts == nil {
				r.Texts = make([]string, len(values))
			}
			r.Texts[i] = v.Str()
		}
	}
	return r
}

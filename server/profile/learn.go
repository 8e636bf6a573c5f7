package profile

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/allocation"
)

// HalfLife is how long data takes to lose half its weight: long enough to see
// every level of a day's course, short enough to follow a release.
const HalfLife = 6 * time.Hour

// Bounds of a learner, and the fewest samples a level is learnt from: for a p99
// within about 10 %, a hundred samples beyond it would be best; 500 give five.
const (
	MaxSeries    = 4096
	LeastSamples = 500
)

var learnt = []float64{0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99}

// Observation is what agents report of one level and load class in one window:
// the seam to telemetry. RT and Value are of Count requests, the sums after Worked
// of Worked ones; where the app told nothing of its work, RT and Value stand for
// work and effect.
type Observation struct {
	Key              // Table is the hash of the level table the order named
	Class     string // load class
	Level, Of int    // and how many levels the table has
	Count     int64
	RT        []byte // proto/sketch, microseconds
	Value     float64
	Worked    int64   // 0 with sums: Count
	Work      float64 // core-milliseconds
	Effect    float64 // value
	Taken     float64 // results taken from upstream
	TakenMax  float64 // by one request
	Output    float64 // results handed on
	At        time.Time
}

// Learner adds observations up. It is for many goroutines.
type Learner struct {
	mu      sync.Mutex
	series  map[Key]*series
	dropped int64
}

type series struct {
	levels  int
	cells   map[cell]*sums
	classes []string
	last    time.Time
	scaled  time.Time // weights are as of then
}

type cell struct{ level, class int }

type sums struct {
	count                       float64 // weighted
	seen                        int64   // as they came
	spans                       float64 // how many of spanLength it was run at in, weighted
	span                        int64   // the newest of them
	worked, value               float64
	work, effect, taken, output float64
	takenMax                    float64
	rt                          sketch.Sum
}

// NewLearner makes an empty learner.
func NewLearner() *Learner { return &Learner{series: map[Key]*series{}} }

// Observe adds one observation; false when it could not be used.
func (l *Learner) Observe(o Observation) bool {
	if o.Level < 1 || o.Level > o.Of || o.Of > gear.MaxLevels || !o.sane() {
		return l.drop()
	}
	if o.Worked == 0 && (o.Work != 0 || o.Effect != 0 || o.Taken != 0 || o.Output != 0) {
		o.Worked = o.Count
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.series[o.Key]
	if s == nil {
		if len(l.series) >= MaxSeries {
			l.dropped++
			return false
		}
		s = &series{cells: map[cell]*sums{}, scaled: o.At}
		l.series[o.Key] = s
	}
	class := slices.Index(s.classes, o.Class)
	if class < 0 {
		if len(s.classes) >= allocation.MaxClasses {
			l.dropped++
			return false
		}
		class = len(s.classes)
		s.classes = append(s.classes, o.Class)
	}
	k := cell{o.Level, class}
	c := s.cells[k]
	if c == nil {
		c = &sums{}
		s.cells[k] = c
	}
	if c.rt.Merge(o.RT) != nil {
		l.dropped++
		return false
	}
	s.age(o.At)
	s.levels = max(s.levels, o.Of)
	c.count += float64(o.Count)
	c.seen += o.Count
	if span := o.At.UnixNano() / int64(spanLength); span != c.span || c.spans == 0 {
		c.span, c.spans = span, c.spans+1
	}
	c.worked, c.value = c.worked+float64(o.Worked), c.value+o.Value
	c.takenMax = max(c.takenMax, o.TakenMax)
	c.work, c.effect = c.work+o.Work, c.effect+o.Effect
	c.taken, c.output = c.taken+o.Taken, c.output+o.Output
	if o.At.After(s.last) {
		s.last = o.At
	}
	return true
}

// The most that one observation may say: what is above it no machine did in a few
// seconds, and sums of it stay finite for as long as they are kept. One that did not
// would never be halved again.
const (
	maxCount = 1e9
	maxTold  = 1e15
)

// sane reports whether an observation's numbers can be.
func (o *Observation) sane() bool {
	for _, v := range [...]float64{o.Work, o.Taken, o.TakenMax, o.Output, math.Abs(o.Effect), math.Abs(o.Value)} {
		if !(v >= 0 && v <= maxTold) { // also NaN
			return false
		}
	}
	return o.Count > 0 && o.Count <= maxCount && o.Worked >= 0 && o.Worked <= maxCount
}

func (l *Learner) drop() bool {
	l.mu.Lock()
	l.dropped++
	l.mu.Unlock()
	return false
}

// Dropped counts observations that could not be used.
func (l *Learner) Dropped() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

// age halves what is a half-life old. Sums are scaled; a sketch holds counts, so
// it is halved by rounding each bin, which keeps its shape where it holds enough.
func (s *series) age(now time.Time) {
	for range 64 {
		if now.Sub(s.scaled) < HalfLife {
			return
		}
		s.scaled = s.scaled.Add(HalfLife)
		for k, c := range s.cells {
			if c.count /= 2; c.count < 1 {
				delete(s.cells, k)
				continue
			}
			c.seen /= 2
			c.spans /= 2
			c.worked, c.value = c.worked/2, c.value/2
			c.work, c.effect, c.taken, c.output = c.work/2, c.effect/2, c.taken/2, c.output/2
			var half sketch.Sum
			odd := uint64(0)
			for b := range c.rt.Bins() {
				n := (b.Count + odd) / 2
				odd = (b.Count + odd) % 2
				if n > 0 {
					half.Record((b.Low+b.High)/2, n)
				}
			}
			c.rt.Reset()
			c.rt.Add(&half)
		}
	}
	s.scaled = now
}

// Keys lists what the learner has heard of.
func (l *Learner) Keys() []Key {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Key, 0, len(l.series))
	for k := range l.series {
		out = append(out, k)
	}
	slices.SortFunc(out, compareKeys)
	return out
}

// Forget drops series that nothing was heard of since before.
func (l *Learner) Forget(before time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, s := range l.series {
		if s.last.Before(before) {
			delete(l.series, k)
		}
	}
}

// Results tells whether a point was seen to take results, and to hand some on.
func (l *Learner) Results(app, point string) (takes, gives bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for k, s := range l.series {
		if k.App != app || k.Point != point {
			continue
		}
		for _, c := range s.cells {
			takes, gives = takes || c.taken > 0, gives || c.output > 0
		}
	}
	return takes, gives
}

// Profile makes a profile of what was learnt; false while no level has enough.
// prior is what was learnt before of the same key, or what stands in for it, nil for
// nothing: levels that nobody ran at of late keep what it says of them.
func (l *Learner) Profile(k Key, prior *Profile) (*Profile, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.series[k]
	if s == nil {
		return nil, false
	}
	if prior != nil && len(prior.Levels) > 0 {
		if prior.Key != k || prior.Source != Learned || len(prior.Levels) != s.levels {
			prior = s.fitted(prior, k)
		}
		if p, ok := s.onto(prior); ok {
			return p, true
		}
	}
	p := &Profile{Key: k, Source: Learned, MeasuredAt: s.last, Classes: s.seen(), Levels: make([]Level, s.levels)}
	known := false
	for n := range p.Levels {
		known = s.level(n+1, p) || known
	}
	if !known {
		return nil, false
	}
	p.fill()
	return p, true
}

// seen are the classes as they came, with their shares of the traffic.
func (s *series) seen() []allocation.Class {
	total := 0.0
	out := make([]allocation.Class, len(s.classes))
	for k, x := range s.cells {
		out[k.class].Share += x.count
		total += x.count
	}
	for i := range out {
		out[i].Name = s.classes[i]
		out[i].Share /= max(total, 1)
	}
	return out
}

// level makes one level, if each class has enough samples there.
func (s *series) level(n int, p *Profile) bool {
	v := Level{}
	for c := range p.Classes {
		x := s.cells[cell{n, c}]
		if x == nil || x.count < LeastSamples/float64(len(p.Classes)) {
			return false
		}
		qs := x.quantiles()
		if qs == nil {
			return false
		}
		v.RT = append(v.RT, qs)
		v.Samples += x.seen
		v.add(x, p.Classes[c].Share)
	}
	p.Levels[n-1] = v
	return true
}

// fill makes up levels nobody ran at from their neighbours.
func (p *Profile) fill() {
	var known []int
	for l := range p.Levels {
		if p.Levels[l].RT != nil {
			known = append(known, l)
		}
	}
	for l := range p.Levels {
		if p.Levels[l].RT != nil {
			continue
		}
		i, _ := slices.BinarySearch(known, l)
		switch {
		case len(known) == 1:
			// One level seen: proportional to the level, as work without a cost
			// parameter is. RT keeps at least half, because part of it is fixed.
			ratio := float64(l+1) / float64(known[0]+1)
			p.Levels[l] = blend(&Level{RT: scaled(p.Levels[known[0]].RT, 0.5)}, &p.Levels[known[0]], ratio)
		case i == 0:
			p.Levels[l] = between(p, known[0], known[1], l)
		case i == len(known):
			p.Levels[l] = between(p, known[i-2], known[i-1], l)
		default:
			p.Levels[l] = between(p, known[i-1], known[i], l)
		}
	}
	for l := 1; l < len(p.Levels); l++ { // caps must not fall by noise
		p.Levels[l].Cap = max(p.Levels[l].Cap, p.Levels[l-1].Cap)
	}
}

func between(p *Profile, a, b, l int) Level {
	return blend(&p.Levels[a], &p.Levels[b], float64(l-a)/float64(b-a))
}

// blend goes from a (at 0) to b (at 1) and on along the same line, never below 0.
func blend(a, b *Level, x float64) Level {
	mixed := func(p, q float64) float64 { return max(p+(q-p)*x, 0) }
	v := Level{Work: mixed(a.Work, b.Work), Effect: a.Effect + (b.Effect-a.Effect)*x, Output: mixed(a.Output, b.Output), Cap: mixed(a.Cap, b.Cap)}
	for c := range b.RT {
		var qs []allocation.Quantile
		last := 0.0
		for i, q := range b.RT[c] {
			last = max(last, mixed(a.RT[c][i].MS, q.MS))
			qs = append(qs, allocation.Quantile{Q: q.Q, MS: last})
		}
		v.RT = append(v.RT, qs)
	}
	return v
}

func scaled(rt [][]allocation.Quantile, by float64) [][]allocation.Quantile {
	out := make([][]allocation.Quantile, len(rt))
	for c := range rt {
		for _, q := range rt[c] {
			out[c] = append(out[c], allocation.Quantile{Q: q.Q, MS: q.MS * by})
		}
	}
	return out
}

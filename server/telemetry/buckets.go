package telemetry

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

const (
	// bucketStep is how often agents report a bucket.
	bucketStep = 5
	// bucketRing holds the four steps that are shown, and the one that goes on.
	bucketRing = 5
	// maxMinutes of a bucket are kept while nobody takes them.
	maxMinutes = 10
)

// BucketKey names a bucket of a series.
type BucketKey struct {
	Key
	Bucket string
}

// BucketMinute is what came in of a bucket in a minute since it was last taken. A
// minute may be given several times: each time what is new.
type BucketMinute struct {
	BucketKey
	Minute                            int64 // since 1970
	Count, OK, Timeouts, Errors, Shed int64
	RTSum                             time.Duration
	Value                             float64
	LevelSum                          int64
	Blocks                            [gear.Blocks]gear.BlockReport
	RT                                []byte // sketch
}

// bucketSeries is guarded by its app's lock.
type bucketSeries struct {
	heard int64 // second
	steps [bucketRing]struct {
		at int64
		tally
		rt sketch.Sum
	}
	minutes map[int64]*bucketMinute
}

type bucketMinute struct {
	BucketMinute
	rt sketch.Sum
}

// bucket counts a bucket's report for the second.
func (a *appWindow) bucket(src Source, p *gear.BucketReport, second int64, l Limits) verdict {
	if !saneBucket(p) {
		return malformed
	}
	k := BucketKey{Key{Scene: p.Scene, IDC: src.IDC, App: src.App, Point: p.Point}, p.Bucket}
	s := a.buckets[k]
	if s == nil {
		if len(a.buckets) >= l.Series {
			return overflow
		}
		s = &bucketSeries{minutes: map[int64]*bucketMinute{}}
		a.buckets[k] = s
	}
	m := s.minutes[second/60]
	if m == nil {
		if len(s.minutes) >= maxMinutes {
			return overflow
		}
		m = &bucketMinute{BucketMinute: BucketMinute{BucketKey: k, Minute: second / 60}}
		s.minutes[second/60] = m
	}
	if m.rt.Merge(p.RT) != nil {
		return malformed
	}
	m.add(p)
	s.heard = max(s.heard, second)
	x := &s.steps[second/bucketStep%bucketRing]
	if at := second / bucketStep; x.at != at {
		x.at, x.tally = at, tally{}
		x.rt.Reset()
	}
	x.report(&p.PointReport, -1)
	_ = x.rt.Merge(p.RT) // it was read a moment ago
	return admitted
}

func (m *BucketMinute) add(p *gear.BucketReport) {
	m.Count += p.Count
	m.OK += p.OK
	m.Timeouts += p.Timeouts
	m.Errors += p.Errors
	m.Shed += p.Shed
	m.RTSum += p.RTSum
	m.Value += p.Value
	m.LevelSum += p.LevelSum
	for k := range m.Blocks {
		to, from := &m.Blocks[k], &p.Blocks[k]
		to.Count += from.Count
		to.Shed += from.Shed
		to.Timeouts += from.Timeouts
		to.RTSum += from.RTSum
		to.Value += from.Value
	}
}

// saneBucket reports whether a bucket's numbers can be: its blocks are all of it.
func saneBucket(p *gear.BucketReport) bool {
	if !sane(&p.PointReport) || p.Bucket == "" || p.Bucket == gear.Any {
		return false
	}
	var count int64
	for k := range p.Blocks {
		b := &p.Blocks[k]
		if b.Count < 0 || b.Shed < 0 || b.Timeouts < 0 || b.Shed+b.Timeouts > b.Count || b.RTSum < 0 || b.Value != b.Value {
			return false
		}
		count += b.Count
	}
	return count == p.Count
}

// TakeBuckets gives what came in of buckets since the last time.
func (w *Windows) TakeBuckets() []BucketMinute {
	var out []BucketMinute
	for _, a := range w.all() {
		a.mu.Lock()
		for _, s := range a.buckets {
			for at, m := range s.minutes {
				m.RT = m.rt.AppendTo(nil)
				out = append(out, m.BucketMinute)
				delete(s.minutes, at)
			}
		}
		a.mu.Unlock()
	}
	return out
}

// Buckets gives the last twenty seconds of a bucket's series that match; those
// without a report in that time are left out.
func (w *Windows) Buckets(f Filter, bucket string, now time.Time) []Point {
	var out []Point
	for _, a := range w.all() {
		if f.App != "" && f.App != a.name {
			continue
		}
		a.mu.Lock()
		for k, s := range a.buckets {
			if k.Bucket != bucket || !f.match(k.Key) {
				continue
			}
			var all tally
			a.scratch.Reset()
			for i := range s.steps {
				if x := &s.steps[i]; x.at > now.Unix()/bucketStep-bucketRing {
					all.add(&x.tally)
					a.scratch.Add(&x.rt)
				}
			}
			if all.agents > 0 {
				r := all.rollup(now, (bucketRing-1)*bucketStep*time.Second, &a.scratch)
				out = append(out, Point{Key: k.Key, Recent: &r, LastHeard: time.Unix(s.heard, 0).UTC()})
			}
		}
		a.mu.Unlock()
	}
	return out
}

func (a *appWindow) forgetBuckets(now time.Time) {
	for k, s := range a.buckets {
		if now.Unix()-s.heard > int64(ForgetAfter/time.Second) {
			delete(a.buckets, k)
		}
	}
}

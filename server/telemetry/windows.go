package telemetry

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
)

// Source names the agent that a report came from.
type Source struct{ App, IDC, Instance string }

// Windows hold what agents measured in the last seconds. All methods may be
// called at the same time; now is reference time and given by the caller.
type Windows struct {
	limits Limits

	mu   sync.RWMutex
	apps map[string]*appWindow
	lost int64 // reports of apps beyond the limit
}

// appWindow is everything of one app under one lock: apps cannot slow each other.
type appWindow struct {
	name string

	mu      sync.Mutex
	series  map[Key]*series
	agents  map[Source]*agent
	scratch sketch.Sum
	refused map[verdict]int64
	done    []Minute // finished minutes that nobody has taken yet
	peers   map[string]*peerWindow
	buckets map[BucketKey]*bucketSeries
	tellState
}

// maxDone bounds finished minutes per app while nobody takes them.
const maxDone = 20000

// Minute is one finished minute of a series.
type Minute struct {
	Key    Key
	Minute int64 // since 1970
	Sample Sample
	RT     []byte // sketch of the minute
}

// New makes empty windows.
func New(l Limits) *Windows {
	return &Windows{limits: l.orDefaults(), apps: map[string]*appWindow{}}
}

func (w *Windows) app(name string, create bool) *appWindow {
	w.mu.RLock()
	a := w.apps[name]
	w.mu.RUnlock()
	if a != nil || !create {
		return a
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if a = w.apps[name]; a != nil {
		return a
	}
	if len(w.apps) >= w.limits.Apps {
		w.lost++
		return nil
	}
	a = &appWindow{name: name, series: map[Key]*series{}, agents: map[Source]*agent{}, refused: map[verdict]int64{}, peers: map[string]*peerWindow{}, buckets: map[BucketKey]*bucketSeries{}}
	w.apps[name] = a
	return a
}

func (w *Windows) all() []*appWindow {
	w.mu.RLock()
	defer w.mu.RUnlock()
	out := make([]*appWindow, 0, len(w.apps))
	for _, a := range w.apps {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *appWindow) int { return cmp.Compare(a.name, b.name) })
	return out
}

// Ingest counts a report. It keeps r: the caller must not change it afterwards.
func (w *Windows) Ingest(src Source, r *gear.Report, now time.Time) {
	a := w.app(src.App, true)
	if a == nil {
		return
	}
	middle, v := admit(r.At, r.Window, now)
	a.mu.Lock()
	defer a.mu.Unlock()
	if v == admitted && len(r.Points) > w.limits.Points {
		v = overflow
	}
	if v == admitted {
		v = a.keep(src, r, now, w.limits)
	}
	if v != admitted {
		a.refused[v]++
		return
	}
	second := middle.Unix()
	for i := range r.Points {
		p := &r.Points[i]
		if v := a.point(src, p, second, r.CPU, now, w.limits); v != admitted {
			a.refused[v]++
		}
	}
	for i := range r.Buckets {
		if v := a.bucket(src, &r.Buckets[i], second, w.limits); v != admitted {
			a.refused[v]++
		}
	}
}

func (a *appWindow) point(src Source, p *gear.PointReport, second int64, cpu float64, now time.Time, l Limits) verdict {
	if !sane(p) {
		return malformed
	}
	k := Key{Scene: p.Scene, IDC: src.IDC, App: src.App, Point: p.Point}
	s := a.series[k]
	if s == nil {
		if len(a.series) >= l.Series {
			return overflow
		}
		s = &series{key: k, seconds: seconds{first: second}, closed: second - completeAfter - 1, minute: second / 60}
		a.series[k] = s
	}
	if s.full(second) {
		a.advance(s, now)
	}
	return s.add(second, p, cpu, now)
}

// complete is the newest second that takes no more reports.
func complete(now time.Time) int64 { return now.Unix() - completeAfter }

func (a *appWindow) advance(s *series, now time.Time) {
	bad := s.advance(complete(now), &a.scratch, func(minute int64, t *tally, rt *sketch.Sum) {
		if len(a.done) >= maxDone {
			a.refused[overflow]++
			return
		}
		r := t.rollup(time.Unix((minute+1)*60, 0), time.Minute, rt)
		a.done = append(a.done, Minute{Key: s.key, Minute: minute, Sample: sampleOf(&r), RT: rt.AppendTo(nil)})
	})
	if bad > 0 {
		a.refused[malformed] += int64(bad)
	}
}

// Advance closes the seconds that are complete and forgets who fell silent. Call
// it about once a second; readers do not depend on it.
func (w *Windows) Advance(now time.Time) {
	for _, a := range w.all() {
		a.mu.Lock()
		for k, s := range a.series {
			a.advance(s, now)
			if now.Sub(s.heard) > ForgetAfter {
				delete(a.series, k)
			}
		}
		for src, g := range a.agents {
			if now.Sub(g.heard()) > ForgetAfter {
				delete(a.agents, src)
			}
		}
		a.forgetPeers(now)
		a.forgetBuckets(now)
		a.mu.Unlock()
	}
}

// TakeMinutes gives the finished minutes and forgets them.
func (w *Windows) TakeMinutes() []Minute {
	var out []Minute
	for _, a := range w.all() {
		a.mu.Lock()
		out = append(out, a.done...)
		a.done = nil
		a.mu.Unlock()
	}
	return out
}

// Point is one series now.
type Point struct {
	Key
	Last      *Rollup // the newest complete second; nil when silent
	Recent    *Rollup // the last ten seconds; nil when silent
	LastHeard time.Time
	Stale     bool // silent for longer than StaleAfter
}

// read joins what this replica and others heard of a series; s is nil when only
// others did.
func (a *appWindow) read(k Key, s *series, now time.Time) Point {
	end := complete(now)
	var parts []*seconds
	if s != nil {
		a.advance(s, now)
		parts = append(parts, &s.seconds)
	}
	parts, shared := a.elsewhere(parts, k, now)
	if shared {
		end -= peerLag
	}
	p := Point{Key: k}
	for _, x := range parts {
		if x.heard.After(p.LastHeard) {
			p.LastHeard = x.heard
		}
	}
	p.Stale = now.Sub(p.LastHeard) > StaleAfter
	if !p.Stale {
		p.Last, p.Recent = last(parts, end, &a.scratch), recent(parts, end, &a.scratch)
	}
	return p
}

// Point gives one series; false when nothing was heard of it for ForgetAfter.
func (w *Windows) Point(k Key, now time.Time) (Point, bool) {
	a := w.app(k.App, false)
	if a == nil {
		return Point{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.read(k, a.series[k], now)
	return p, now.Sub(p.LastHeard) <= ForgetAfter
}

// Points gives every series that matches, in order of app, point, IDC and scene,
// silent ones (Stale, without values) included until they are forgotten.
func (w *Windows) Points(f Filter, now time.Time) []Point {
	var out []Point
	for _, a := range w.all() {
		if f.App != "" && f.App != a.name {
			continue
		}
		a.mu.Lock()
		add := func(k Key, s *series) {
			if !f.match(k) {
				return
			}
			if p := a.read(k, s, now); now.Sub(p.LastHeard) <= ForgetAfter {
				out = append(out, p)
			}
		}
		for k, s := range a.series {
			add(k, s)
		}
		for k := range a.onlyElsewhere() {
			add(k, nil)
		}
		a.mu.Unlock()
	}
	slices.SortFunc(out, func(a, b Point) int {
		return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.Key.Point, b.Key.Point), cmp.Compare(a.IDC, b.IDC), cmp.Compare(a.Scene, b.Scene))
	})
	return out
}

// Refused counts reports, or points of reports, that did not count, by reason:
// future, late, malformed, overflow, flood.
func (w *Windows) Refused(app string) map[string]int64 {
	out := map[string]int64{}
	a := w.app(app, false)
	if a == nil {
		return out
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for v, n := range a.refused {
		out[string(v)] = n
	}
	return out
}

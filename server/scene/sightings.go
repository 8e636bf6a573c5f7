package scene

import (
	"strings"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

const (
	// SightingsHalfLife is how long sightings take to lose half their weight: a
	// release that changes the order of points is drawn right within the hour.
	SightingsHalfLife = 30 * time.Minute

	maxSightings = 20_000 // kinds of them, all scenes together
	sweepEvery   = time.Minute
)

// Sighting is what agents report of who runs after whom, and who calls whom, in
// followed requests of a scene.
type Sighting struct {
	Place    Place
	External bool // an external edge
	// Caller is the external edge through which the request came to Place; the zero
	// Place where it came in from outside.
	Caller Place
	// After is a point or external edge that was over, in the same request and within
	// the same Caller, before this one began. One sighting for each of them; the zero
	// Place in the one that tells of Place itself.
	After Place
	// Span tells of others that took place within this one, which then measures and
	// is no step.
	Span  bool
	Count int64 // requests in which it was seen so
}

// Sightings keep what agents reported lately. It is for many goroutines.
type Sightings struct {
	now     func() time.Time
	results Results

	mu     sync.Mutex
	scenes map[string]*sighted
	kinds  int
	swept  time.Time
}

type sighted struct {
	counts map[Sighting]float64 // Count is zero in keys
	since  time.Time
	scaled time.Time
	last   time.Time
}

// NewSightings makes an empty store. now is reference time; results may be nil.
func NewSightings(now func() time.Time, results Results) *Sightings {
	return &Sightings{now: now, results: results, scenes: map[string]*sighted{}}
}

// Draft makes a draft of a scene, and tells when the first and the newest of what
// it is made of was reported.
func (s *Sightings) Draft(scene string) (d Draft, since, last time.Time) {
	seen, since, last := s.seen(scene)
	return NewDraft(seen, s.results), since, last
}

// Observe takes what an agent of an app reported. Reports of other apps' points
// cannot be told from it: an agent speaks for its own app alone.
func (s *Sightings) Observe(app string, calls []gear.CallReport) {
	if len(calls) == 0 {
		return
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range calls {
		c := &calls[i]
		k, ok := sightingOf(app, c)
		if !ok || c.Count <= 0 || c.Count > 1e9 {
			continue
		}
		x := s.scenes[c.Scene]
		if x == nil {
			x = &sighted{counts: map[Sighting]float64{}, since: now, scaled: now}
		}
		x.age(now, &s.kinds)
		if _, old := x.counts[k]; !old {
			if s.kinds >= maxSightings {
				s.sweep(now)
			}
			if s.kinds >= maxSightings {
				continue
			}
			s.kinds++
		}
		s.scenes[c.Scene] = x
		x.counts[k] += float64(c.Count)
		x.last = now
	}
}

// sightingOf reads a report; false for names that are none.
func sightingOf(app string, c *gear.CallReport) (Sighting, bool) {
	k := Sighting{Place: Place{app, c.Point}, External: c.External, Span: c.Span}
	ok := gear.PlaceName(app) && gear.PlaceName(c.Point) && (c.Scene == gear.Any || gear.PlaceName(c.Scene))
	for _, f := range [...]struct {
		text string
		to   *Place
	}{{c.Caller, &k.Caller}, {c.After, &k.After}} {
		if f.text == "" {
			continue
		}
		a, p, two := strings.Cut(f.text, "/")
		ok = ok && two && gear.PlaceName(a) && gear.PlaceName(p)
		*f.to = Place{a, p}
	}
	return k, ok
}

// sweep makes room: scenes that nobody speaks of, or asks for, any more lose what
// grew old, or they would fill the store for ever. At most once in sweepEvery.
func (s *Sightings) sweep(now time.Time) {
	if now.Sub(s.swept) < sweepEvery {
		return
	}
	s.swept = now
	for name, x := range s.scenes {
		if x.age(now, &s.kinds); len(x.counts) == 0 {
			delete(s.scenes, name)
		}
	}
}

func (x *sighted) age(now time.Time, kinds *int) {
	for range 64 {
		if now.Sub(x.scaled) < SightingsHalfLife {
			return
		}
		x.scaled = x.scaled.Add(SightingsHalfLife)
		for k, n := range x.counts {
			if x.counts[k] = n / 2; n < 1 {
				delete(x.counts, k)
				*kinds--
			}
		}
	}
	x.scaled = now
}

// seen gives what was seen of a scene, since when and until when; nothing for a
// scene that nobody spoke of.
func (s *Sightings) seen(scene string) (out []Sighting, since, last time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.scenes[scene]
	if x == nil {
		return nil, since, last
	}
	x.age(s.now(), &s.kinds)
	if len(x.counts) == 0 {
		delete(s.scenes, scene)
		return nil, since, last
	}
	for k, n := range x.counts {
		k.Count = int64(n + 0.5)
		out = append(out, k)
	}
	return out, x.since, x.last
}

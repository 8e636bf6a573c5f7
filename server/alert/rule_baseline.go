package alert

import (
	"math"
	"slices"
	"time"
)

const (
	// stepEvery is how often a place is remembered.
	stepEvery = 5 * time.Second
	// kept is five minutes: longer than a level needs to settle, shorter than the
	// slope of a day.
	kept = 60
	// apart leaves the newest half minute out of what it is compared with.
	apart = 6
	// least entries without which nothing is judged: a minute and a half of looking.
	least = 12
	// refreeze is how long a place in trouble is compared with the time before it.
	// What lasts longer is how things are from now on.
	refreeze = time.Hour
	// forgetPlace is how long a place is remembered without machines.
	forgetPlace = 10 * time.Minute
)

// ring is the last minutes of one number.
type ring struct {
	v [kept]float64
	n int // ever
}

func (r *ring) push(x float64) {
	r.v[r.n%kept] = x
	r.n++
}

// usual gives the median without the newest half minute and how much it moves by
// itself; false while too little was seen.
func (r *ring) usual() (mid, width float64, ok bool) {
	have := min(r.n, kept)
	if have < least+apart {
		return 0, 0, false
	}
	v := make([]float64, 0, kept)
	for i := r.n - have; i < r.n-apart; i++ {
		v = append(v, r.v[i%kept])
	}
	mid = median(v)
	return mid, spread(v, mid), true
}

// entry is a series at one of the remembered instants.
type entry struct {
	qps, lnN         float64
	lnLoad           float64
	lnRT, lnLvl, bad float64
}

func (e *entry) cost() float64 { return e.lnRT - e.lnLvl }

// track is the last minutes of one series.
type track struct {
	ring [kept]entry
	n    int // entries ever
	base base
}

// base is how a series was: medians of what its track remembers.
type base struct {
	known              bool
	qps, lnN, lnLoad   float64
	lnRose             float64 // from the quieter times remembered to the median, of ln qps
	lnRT, lnLvl, cost  float64
	bad                float64
	loadWidth, costOff float64 // robust σ of the entries
}

func (t *track) push(e entry) {
	t.ring[t.n%kept] = e
	t.n++
	have := min(t.n, kept)
	if have < least+apart {
		return
	}
	old := make([]entry, 0, kept)
	for i := t.n - have; i < t.n-apart; i++ {
		old = append(old, t.ring[i%kept])
	}
	of := func(f func(*entry) float64) (mid, width float64) {
		v := make([]float64, len(old))
		for i := range old {
			v[i] = f(&old[i])
		}
		mid = median(v)
		return mid, spread(v, mid)
	}
	b := base{known: true}
	b.qps, _ = of(func(e *entry) float64 { return e.qps })
	b.lnRose = math.Log((b.qps + 0.01) / (quarter(old) + 0.01))
	b.lnN, _ = of(func(e *entry) float64 { return e.lnN })
	b.lnLoad, b.loadWidth = of(func(e *entry) float64 { return e.lnLoad })
	b.lnRT, _ = of(func(e *entry) float64 { return e.lnRT })
	b.lnLvl, _ = of(func(e *entry) float64 { return e.lnLvl })
	b.cost, b.costOff = of((*entry).cost)
	b.bad, _ = of(func(e *entry) float64 { return e.bad })
	t.base = b
}

// quarter is the traffic that a quarter of the entries do not reach.
func quarter(all []entry) float64 {
	v := make([]float64, len(all))
	for i := range all {
		v[i] = all[i].qps
	}
	slices.Sort(v)
	return v[len(v)/4]
}

// memory is what is remembered of a place.
type memory struct {
	tracks   map[SeriesKey]*track
	crew     ring    // machines that reported
	lnCPU    ring    // how busy they were
	spent    ring    // as proof.spent, of all of them
	apart    [2]ring // how far machines are from each other: cost and spent
	pushed   time.Time
	seen     time.Time // with machines
	builds   map[string]time.Time
	release  *release
	doubts   doubts
	troubled time.Time // zero while nothing is wrong
}

func newMemory() *memory {
	return &memory{tracks: map[SeriesKey]*track{}, builds: map[string]time.Time{}, doubts: doubts{}}
}

// base is how a series was.
func (m *memory) base(k SeriesKey) base {
	if t := m.tracks[k]; t != nil {
		return t.base
	}
	return base{}
}

// remember takes a look into the memory, unless the place is in trouble: what is
// wrong must not become what is usual.
func (m *memory) remember(v *view, off []deviation, now time.Time) {
	if now.Sub(m.pushed) < stepEvery || !m.troubled.IsZero() && now.Sub(m.troubled) < refreeze {
		return
	}
	m.pushed = now
	m.crew.push(float64(len(v.machines)))
	if v.cpu > 0 {
		if lnCPU, _, ok := m.lnCPU.usual(); ok {
			m.spent.push(usageSince(v, v.own(), m.base, lnCPU).spent)
		}
		m.lnCPU.push(math.Log(v.cpu))
	}
	if costs, spents, n := spreads(off); n >= leastPeers {
		m.apart[0].push(costs)
		m.apart[1].push(spents)
	}
	here := map[SeriesKey]bool{}
	for i := range v.series {
		s := &v.series[i]
		here[s.key] = true
		t := m.tracks[s.key]
		if t == nil {
			t = &track{}
			m.tracks[s.key] = t
		}
		if len(s.each) == 0 { // too few requests to say how they went
			if t.base.known {
				t.base.qps += (float64(s.count)/window - t.base.qps) / kept
			}
			continue
		}
		t.push(entry{qps: float64(s.count) / window, lnN: s.lnN, lnLoad: s.lnLoad, lnRT: s.lnRT, lnLvl: s.lnLvl, bad: s.bad})
	}
	for k, t := range m.tracks {
		if !here[k] { // silent: remembered until it is as if it never was
			if t.base.qps *= 1 - 1.0/kept; t.base.qps < quiet/10 {
				delete(m.tracks, k)
			}
		}
	}
}

// change is how a series differs from how it was.
type change struct {
	known               bool
	lnQPS, lnLoad, cost float64
	lnRT, lnLvl         float64
	bad                 float64
	base                base
}

func (m *memory) change(s *series) change {
	t := m.tracks[s.key]
	if t == nil || !t.base.known || len(s.each) == 0 {
		return change{}
	}
	b := t.base
	return change{
		known: true, base: b, lnQPS: math.Log((float64(s.count)/window + 0.01) / (b.qps + 0.01)), lnLoad: s.lnLoad - b.lnLoad,
		cost: dearer(s.cost()-b.cost, s.lnLoad-b.lnLoad), lnRT: s.lnRT - b.lnRT, lnLvl: s.lnLvl - b.lnLvl, bad: s.bad - b.bad,
	}
}

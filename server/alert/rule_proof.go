package alert

import (
	"math"
	"time"
)

// What a machine's work costs is told in two ways. Time (RT at its level) tells of
// everything that can be wrong, but also of waiting, and waiting grows without
// bound as a machine gets busy: one that does a tenth more than its peers, or meets
// a burst, takes twice as long and is as good as they are. CPU (busy share by work
// done) knows nothing of waiting, and is steady to a few percent. So time is
// believed as far as it exceeds what being busier explains, or as far as CPU agrees.

// fullyBusy bounds how much waiting a full machine explains: by a factor of fifty.
const fullyBusy = 0.98

// bare is the part of what is least that must show without the level: a level is
// not work, and of two loops that settle one may be at half the other's for minutes.
const bare = 0.25

// proof is how much dearer work got, of a machine beside its peers, of a build
// beside another, or of a place beside how it was.
type proof struct {
	cost  float64 // ln time at the level
	slow  float64 // ln time
	spent float64 // ln CPU at the level
	each  float64 // ln CPU by request
	cpu   bool    // spent, busy and was are known
	busy  float64 // share of the cores, now
	was   float64 // of what it is compared with
}

// limits are how much dearer work must get.
type limits struct {
	least       float64
	cost, spent float64 // widths of their own movement
	agree       bool    // time alone does not do
}

// waits is how much longer, in ln, a request takes because the machine is busier:
// of a shared processor 1/(1-busy).
func (p *proof) waits() float64 {
	if !p.cpu || p.busy <= p.was {
		return 0
	}
	return math.Log((1 - min(p.was, fullyBusy)) / (1 - min(p.busy, fullyBusy)))
}

// holds reports whether work got dearer than the limits, and by how much. Of a full
// machine time alone tells nothing: its queue lasts, whatever filled it. Two measures
// that agree need half the widths that one needs alone. Once they did, CPU tells for
// how long: a loop that turned the level down to hold the RT takes away what time
// had shown.
func (p *proof) holds(l limits, held bool) (by float64, ok bool) {
	if p.cpu && max(p.slow, p.each) <= l.least*bare {
		return 0, false // neither slower nor busier: it is given less to do, and does it
	}
	net := p.cost - p.waits()
	agree := p.cpu && p.spent > max(l.least, l.spent/2) && p.each > l.least*bare
	switch {
	case net > max(l.least, l.cost) && !l.agree && (!p.cpu || p.busy < busy):
		return net, true
	case agree && p.cost > max(l.least, l.cost/2):
		return min(p.cost, p.spent), true
	default:
		return p.spent, agree && held
	}
}

// doubts remember of what work was dearer at the last looks.
type doubts map[string]time.Time

// held reports whether it was a moment ago.
func (d doubts) held(what string, now time.Time) bool {
	at, ok := d[what]
	return ok && now.Sub(at) <= blink
}

// forget drops what was long ago.
func (d doubts) forget(now time.Time) {
	for k, at := range d {
		if now.Sub(at) > blink {
			delete(d, k)
		}
	}
}

// weights gives every series of a place's own work its share of the time.
func weights(own []*series) []float64 {
	w, sum := make([]float64, len(own)), 0.0
	for i, s := range own {
		for j := range s.each {
			w[i] += float64(s.each[j].n) * math.Exp(s.each[j].lnRT)
		}
		sum += w[i]
	}
	for i := range w {
		w[i] /= max(sum, 1e-9)
	}
	return w
}

// usage is ln CPU of a machine up to what is common to all: by work done, and by
// request. NaN where it is not known.
type usage struct{ spent, each float64 }

// usages gives that of each machine. What requests bring more than elsewhere is
// work, too.
func usages(v *view, own []*series) []usage {
	type sums struct{ weight, n, level, load float64 }
	all := make([]sums, len(v.machines))
	for i, w := range weights(own) {
		s := own[i]
		load := medianOf(s.each, func(x *share) float64 { return x.lnLoad })
		for j := range s.each {
			x := &s.each[j]
			a := &all[x.machine]
			a.weight += w
			a.n += w * (math.Log(float64(x.n)) - s.lnN)
			a.level += w * (x.lnLvl - s.lnLvl)
			a.load += w * max(x.lnLoad-load, 0)
		}
	}
	out := make([]usage, len(v.machines))
	for i := range out {
		a := &all[i]
		if v.machines[i].cpu <= 0 || a.weight == 0 {
			out[i] = usage{math.NaN(), math.NaN()}
			continue
		}
		out[i].each = math.Log(v.machines[i].cpu) - (a.n+a.load)/a.weight
		out[i].spent = out[i].each - a.level/a.weight
	}
	return out
}

// usageSince is that of all of a place's machines, beside what it was.
func usageSince(v *view, own []*series, was func(SeriesKey) base, lnCPU float64) usage {
	weight, did, level := 0.0, 0.0, 0.0
	for i, w := range weights(own) {
		s := own[i]
		if b := was(s.key); b.known && len(s.each) > 0 {
			weight += w
			did += w * (s.lnN - b.lnN + max(s.lnLoad-b.lnLoad, 0))
			level += w * (s.lnLvl - b.lnLvl)
		}
	}
	if weight == 0 {
		return usage{}
	}
	each := math.Log(v.cpu) - lnCPU - did/weight
	return usage{each - level/weight, each}
}

// usual is the median of those that are known.
func usual(all []usage) usage {
	var spent, each []float64
	for _, x := range all {
		if !math.IsNaN(x.spent) {
			spent, each = append(spent, x.spent), append(each, x.each)
		}
	}
	return usage{median(spent), median(each)}
}

// proof is what CPU tells of a place beside how it was, and how much spent moves by
// itself.
func (m *memory) proof(v *view) (p proof, width float64) {
	was, _, ok := m.lnCPU.usual()
	if !ok || v.cpu <= 0 {
		return proof{}, 0
	}
	_, width, _ = m.spent.usual()
	u := usageSince(v, v.own(), m.base, was)
	return proof{cpu: true, spent: u.spent, each: u.each, busy: v.cpu, was: math.Exp(was)}, width
}

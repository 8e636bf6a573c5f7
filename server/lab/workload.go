package lab

import (
	"math"
	"sort"
)

// Arrival is one request as the world sends it, before the engine sees it.
type Arrival struct {
	At   int64
	Load float64 // tokens
	Key  uint64  // the user's key: decides value, scene, route and noise
	zl   float64 // standardised ln(load)
}

// WorkloadConfig says which requests come and when.
type WorkloadConfig struct {
	Trace *Trace
	Rate  int     // copies of the trace; 0 is silence
	Speed float64 // of the trace's clock; 0 means 1
	Seed  uint64
	Start int64 // where in the trace the run begins
}

// Workload superposes shifted copies of a trace in order of arrival.
type Workload struct {
	cfg    WorkloadConfig
	seed   uint64
	active int       // copies that run
	keep   uint64    // a copy's request is kept when its random word is below
	copies []copyAt  // by copy
	heap   []int32   // copies by next arrival
	logs   []float64 // standardised ln(load) of each request in the trace
}

// copyAt is where one copy stands: at the index-th request of its lap.
type copyAt struct {
	at    int64
	index int32
	lap   int32
}

// MaxRate bounds the copies of the trace that can run side by side.
const MaxRate = 100_000

// NewWorkload starts a workload at time 0.
func NewWorkload(cfg WorkloadConfig) *Workload {
	if cfg.Speed <= 0 || math.IsNaN(cfg.Speed) || math.IsInf(cfg.Speed, 0) {
		cfg.Speed = 1
	}
	w := &Workload{cfg: cfg, seed: Seed(cfg.Seed, "workload", cfg.Trace.Name)}
	w.logs = make([]float64, len(cfg.Trace.At))
	for i := range w.logs {
		w.logs[i] = (math.Log(max(cfg.Trace.Load(i), 1)) - cfg.Trace.logMean) / cfg.Trace.logSD
	}
	w.SetRate(cfg.Rate, 0)
	return w
}

// Rate tells how many copies of the trace make the load.
func (w *Workload) Rate() int { return w.cfg.Rate }

// SetRate changes the number of copies from now on. Copies that already run are
// not disturbed at speed 1.
func (w *Workload) SetRate(rate int, now int64) {
	rate = min(max(rate, 0), MaxRate)
	w.cfg.Rate = rate
	old := w.active
	w.active = int(math.Ceil(float64(rate) / w.cfg.Speed))
	if w.active > 0 {
		p := float64(rate) / w.cfg.Speed / float64(w.active)
		w.keep = uint64(math.Min(p*math.Exp2(64), math.MaxUint64-2047))
		if p >= 1 {
			w.keep = math.MaxUint64
		}
	}
	for len(w.copies) < w.active {
		w.copies = append(w.copies, copyAt{})
	}
	for k := min(old, w.active); k < w.active; k++ {
		w.seek(k, now)
	}
	w.heap = w.heap[:0]
	for k := range w.active {
		w.heap = append(w.heap, int32(k))
	}
	for i := len(w.heap)/2 - 1; i >= 0; i-- {
		w.down(i)
	}
}

// clock is the trace's clock of copy k at time t, without wrapping.
func (w *Workload) clock(k int, t int64) int64 {
	shift := unit(uint64(k)*golden) * ShiftSpread * float64(w.cfg.Trace.Span)
	return w.cfg.Start + int64(float64(t)*w.cfg.Speed) + int64(shift)
}

func (w *Workload) seek(k int, now int64) {
	t := w.cfg.Trace
	c := w.clock(k, now)
	lap, pos := c/t.Span, c%t.Span
	i := sort.Search(len(t.At), func(i int) bool { return t.At[i] > pos })
	if i == len(t.At) {
		i, lap = 0, lap+1
	}
	w.copies[k] = copyAt{index: int32(i), lap: int32(lap)}
	w.place(k)
}

// place works out when the copy's next request arrives.
func (w *Workload) place(k int) {
	c := &w.copies[k]
	t := w.cfg.Trace
	at := t.At[c.index] + int64(c.lap)*t.Span - w.clock(k, 0)
	c.at = int64(float64(at) / w.cfg.Speed)
}

// Peek tells when the next request arrives; ok is false in silence.
func (w *Workload) Peek() (at int64, ok bool) {
	w.thin()
	if len(w.heap) == 0 {
		return 0, false
	}
	return w.copies[w.heap[0]].at, true
}

// Next takes the next request; call it only after Peek said there is one.
func (w *Workload) Next() Arrival {
	w.thin()
	k := w.heap[0]
	c := w.copies[k]
	a := Arrival{At: c.at, Load: w.cfg.Trace.Load(int(c.index)), Key: w.key(k), zl: w.logs[c.index]}
	w.advance()
	return a
}

func (w *Workload) key(k int32) uint64 {
	c := &w.copies[k]
	return draw(draw(w.seed, uint64(k)), uint64(c.lap)<<32|uint64(c.index))
}

// thin passes over requests that a fast clock would add.
func (w *Workload) thin() {
	if w.keep == math.MaxUint64 {
		return
	}
	for len(w.heap) > 0 && mix(w.key(w.heap[0])^golden) >= w.keep {
		w.advance()
	}
}

func (w *Workload) advance() {
	c := &w.copies[w.heap[0]]
	if c.index++; int(c.index) == len(w.cfg.Trace.At) {
		c.index = 0
		c.lap++
	}
	w.place(int(w.heap[0]))
	w.down(0)
}

func (w *Workload) earlier(a, b int32) bool {
	x, y := w.copies[a].at, w.copies[b].at
	return x < y || x == y && a < b
}

func (w *Workload) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(w.heap) {
			return
		}
		if c+1 < len(w.heap) && w.earlier(w.heap[c+1], w.heap[c]) {
			c++
		}
		if !w.earlier(w.heap[c], w.heap[i]) {
			return
		}
		w.heap[i], w.heap[c] = w.heap[c], w.heap[i]
		i = c
	}
}

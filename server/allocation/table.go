package allocation

import "math"

// Table says for each target what every point gets.
type Table struct {
	Statistic Statistic
	From, To  int      // targets asked for, ms
	First     int      // the shortest target that can be met; To+1 when none can
	Limit     float64  // ms after which the caller in front gives up
	Points    []string // app/point, in the order of Row.Points
	Calls     []string // in the order of Row.Timeouts
	Rows      []Row    // Rows[i] is target First+i
	Fastest   float64  // what the fastest vector takes, ms
	Slowest   float64  // what the best vector for the longest target takes, ms

	Unlinked []string // points whose supply a pass could not carry: their rows are measured, not optimal
	Bounded  bool     // a part of the graph was neither series-parallel nor small enough to fix
	Gap      float64  // the largest (bound - effect)/bound of a row, 0 where rows are exact
}

// Row is one target's allocation.
type Row struct {
	Target    int     // ms
	RT        float64 // what the vector truly takes by the table's statistic, ms
	Effect    float64 // value a request
	Bound     float64 // no vector earns more; 0 when the row is exact or nothing is known
	Work      float64 // core-milliseconds a request
	Cut, Idle float64 // core-milliseconds a request, see PointFlow
	Points    []PointRow
	Timeouts  []float64 // of the external edges, ms, an attempt

	PerMS         float64 // effect that one more millisecond of target earns
	PerCoreSecond float64 // effect that one more core-second of work earns, along the table

	Isolated *Isolated // beside it, each point regulated by itself; nil without links
}

// PointRow is one point's share of a row.
type PointRow struct {
	Level         int
	Ran           int     // the level whose RT it shows; below Level when too little comes from upstream
	RT            float64 // mean at Ran, ms
	Setpoint      float64 // available RT: RT stretched to the whole target, ms
	Effect        float64
	Work          float64
	Cut, Idle     float64
	PerMS         float64 // effect of its next level, per ms of mean RT
	PerCoreSecond float64 // and per core-second of work
}

// Isolated is what the same target gives when links are not seen.
type Isolated struct {
	Effect, Work, Cut, Idle float64
	Levels                  []int
}

// Row looks a target up. A target outside the table gets its nearest row, and
// clamped says so. The zero Row, clamped, comes from a table without rows.
func (t *Table) Row(target int) (row Row, clamped bool) {
	if len(t.Rows) == 0 {
		return Row{}, true
	}
	i := target - t.First
	switch {
	case i < 0:
		return t.Rows[0], true
	case i >= len(t.Rows):
		return t.Rows[len(t.Rows)-1], true
	}
	return t.Rows[i], false
}

// Point finds a point's column; None when the table does not know it.
func (t *Table) Point(name string) int { return find(t.Points, name) }

// Call finds an external edge's column; None when the table does not know it.
func (t *Table) Call(name string) int { return find(t.Calls, name) }

func find(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return None
}

// slopeWidth is over how many targets to each side a slope is taken: rows change
// in jumps, and one step's difference would say zero or far too much.
const slopeWidth = 5

func (t *Table) slopes() {
	for i := range t.Rows {
		a, b := &t.Rows[max(i-slopeWidth, 0)], &t.Rows[min(i+slopeWidth, len(t.Rows)-1)]
		r := &t.Rows[i]
		if ms := b.Target - a.Target; ms > 0 {
			r.PerMS = (b.Effect - a.Effect) / float64(ms)
		}
		if w := b.Work - a.Work; w > slack {
			r.PerCoreSecond = (b.Effect - a.Effect) / w * 1000
		}
	}
}

// compare puts isolated regulation beside each row: the same passes without the
// links, measured with the true flow.
func (t *Table) compare(in *Input, best []*choice) {
	for i := range t.Rows {
		c := best[t.Rows[i].Target]
		if c == nil {
			continue
		}
		f := in.Flow(c.levels)
		t.Rows[i].Isolated = &Isolated{Effect: f.Effect, Work: f.Work, Cut: f.Cut, Idle: f.Idle, Levels: c.levels}
	}
}

// windows works out how long each external edge may take.
//
// Own work counts with its mean, what is left is shared among the calls in
// proportion to the tails of what they do: then a caller's timeout is at least
// own work plus the timeouts within plus the network, at every depth.
type windows struct {
	b *builder
}

// tail is the quantile at which a call's share is weighed; the last of quantiles.
const tail = 0.99

func (w *windows) of(target int, c *choice, stretch float64) []float64 {
	b := w.b
	out := make([]float64, 0, 4)
	at := map[int]int{}
	for i := range b.in.Graph.Nodes {
		if b.in.Graph.Nodes[i].Call {
			at[i] = len(out)
			out = append(out, 0)
		}
	}
	if len(out) == 0 {
		return nil
	}
	window := float64(target)
	if b.in.Statistic.Q < 0.95 {
		window = max(b.judge.partOf(b.root, c.flow.Points, tail)*stretch, window)
	}
	if b.in.Limit > 0 {
		window = min(window, b.in.Limit)
	}
	w.share(b.root, window, c, func(node int, ms float64) { out[at[node]] = math.Max(math.Floor(ms), 1) })
	w.dissolved(window, c, func(node int, ms float64) { out[at[node]] = math.Max(math.Floor(ms), 1) })
	return out
}

func calls(b *block) bool {
	if b.kind == callBlock {
		return true
	}
	for _, k := range b.kids {
		if calls(k) {
			return true
		}
	}
	return false
}

func (w *windows) share(b *block, window float64, c *choice, set func(node int, ms float64)) {
	j := w.b.judge
	switch b.kind {
	case callBlock:
		set(b.node, window/float64(b.times))
		w.share(b.kids[0], max(window/float64(b.times)-b.network, 0), c, set)
	case parallelBlock:
		for _, k := range b.kids {
			w.share(k, window, c, set)
		}
	case seriesBlock:
		left, total := window, 0.0
		for _, k := range b.kids {
			if calls(k) {
				total += j.partOf(k, c.flow.Points, tail)
			} else {
				left -= j.partOf(k, c.flow.Points, 0)
			}
		}
		for _, k := range b.kids {
			if calls(k) && total > 0 {
				w.share(k, max(left, 0)*j.partOf(k, c.flow.Points, tail)/total, c, set)
			}
		}
	case primeBlock:
		for _, k := range b.kids {
			if whole := j.partOf(b, c.flow.Points, tail); calls(k) && whole > 0 {
				w.share(k, window*j.partOf(k, c.flow.Points, tail)/whole, c, set)
			}
		}
	}
}

// dissolved gives calls that a cross-link leads into or out of the share of the
// window that the longest path within them has of the whole.
func (w *windows) dissolved(window float64, c *choice, set func(node int, ms float64)) {
	b := w.b
	o := newOrder(&b.in.Graph)
	all := make([]float64, len(b.in.Points))
	for i := range all {
		all[i] = b.figures[i][c.flow.Points[i].Ran-1].quantiles[len(quantiles)-1]
	}
	whole := b.root.path(all)
	for i, is := range o.dissolved {
		if !is || whole == 0 {
			continue
		}
		inner := make([]float64, len(all))
		for k, n := range b.in.Graph.Nodes {
			if n.Point != None && o.within(k, i) {
				inner[n.Point] = all[n.Point]
			}
		}
		set(i, window*min(b.root.path(inner)/whole, 1))
	}
}

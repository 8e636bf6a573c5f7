package allocation

import (
	"cmp"
	"math"
	"slices"

	"github.com/allspark/allspark/proto/gear"
)

// quantiles of the passes. No single one is right: with independent points the
// path of p99s is far above the p99 of the path, with one point it is equal. Each
// pass proposes vectors; the judge says what they really take.
var quantiles = [...]float64{0.50, 0.75, 0.90, 0.95, 0.99}

// A pass looks further than the last target by this much, because its path of
// high quantiles is longer than the vector's true quantile.
const reach = 1.5

// A pass's vectors are judged until this many in a row take too long.
const tooLong = 8

// choice is a vector of levels and what it truly takes and earns.
type choice struct {
	levels []int
	stat   float64
	flow   Flow
}

// Build makes the allocation table of an input, or says what is wrong with it.
func Build(in *Input) (*Table, gear.Problems) {
	if problems := in.Check(); len(problems) > 0 {
		return nil, problems
	}
	in = in.underCrowds()
	b := in.builder()
	best := b.best()
	t := b.table(best)
	if slices.ContainsFunc(in.Points, func(p Point) bool { return p.Feeder != None }) {
		t.compare(in, in.isolated().builder().best())
	}
	return t, nil
}

// isolated is the input as points see it that are regulated by themselves: each
// believes that it gets all it can take, and that all it hands on is taken.
func (in *Input) isolated() *Input {
	alone := *in
	alone.Points = slices.Clone(in.Points)
	for i := range alone.Points {
		alone.Points[i].Feeder = None
	}
	return &alone
}

type builder struct {
	in      *Input
	root    *block
	links   *links
	figures [][]figures
	judge   *judge
	bound   []float64 // of the effect, by budget; nil when there is none
}

func (in *Input) builder() *builder {
	b := &builder{in: in, root: in.decompose(), figures: in.figures()}
	b.judge = in.newJudge(b.root)
	limit := maxFixedTails
	if b.judge.fixed {
		limit = maxFixed
	}
	b.links = in.links(b.root, limit)
	return b
}

// best gives for each target the choice with the most effect, nil where no vector
// is fast enough. Better choices for shorter targets hold for longer ones.
func (b *builder) best() []*choice {
	in := b.in
	best := make([]*choice, in.To+1)
	b.consider(best, in.least())
	b.consider(best, b.floor())
	if b.judge.fixed {
		b.run(best, None, in.newPass(b.links, in.To+len(in.Points)))
	} else {
		p := in.newPass(b.links, int(reach*float64(in.To)))
		for q := range quantiles {
			b.run(best, q, p)
		}
		b.polish(best)
	}
	for t := 1; t <= in.To; t++ {
		if p := best[t-1]; p != nil && (best[t] == nil || p.flow.Effect >= best[t].flow.Effect) {
			best[t] = p
		}
	}
	return best
}

// maxPolish bounds the vectors that polish tries: some tenths of a second.
const maxPolish = 40_000

// polish tries all vectors one level away from those found, and again from what
// that finds. Few points with few levels leave large steps between vectors, and
// the passes' quantiles may step over the best; with many, the steps are small and
// so is what is lost, and trying would take too long.
func (b *builder) polish(best []*choice) {
	near := 0
	for i := range b.in.Points {
		lo, hi := b.in.Points[i].span()
		near += hi - lo
	}
	known, left := map[*choice]bool{}, maxPolish
	for {
		var fresh []*choice
		for _, c := range best {
			if c != nil && !known[c] {
				known[c] = true
				fresh = append(fresh, c)
			}
		}
		if left -= near * len(fresh); len(fresh) == 0 || left < 0 {
			return
		}
		for _, c := range fresh {
			for i := range b.in.Points {
				lo, hi := b.in.Points[i].span()
				for l := lo; l <= hi; l++ {
					if l != c.levels[i] {
						levels := slices.Clone(c.levels)
						levels[i] = l
						b.consider(best, levels)
					}
				}
			}
		}
	}
}

// least is the all-minimum vector; floor the fastest level of each point, which
// is another one where RT does not rise with the level.
func (in *Input) least() []int {
	out := make([]int, len(in.Points))
	for i := range in.Points {
		out[i], _ = in.Points[i].span()
	}
	return out
}

func (b *builder) floor() []int {
	out := b.in.least()
	for i := range out {
		_, hi := b.in.Points[i].span()
		for l := out[i] + 1; l <= hi; l++ {
			if b.figures[i][l-1].mean < b.figures[i][out[i]-1].mean {
				out[i] = l
			}
		}
	}
	return out
}

// run makes the passes at one statistic and has their vectors considered.
func (b *builder) run(best []*choice, q int, p *pass) {
	p.at(q, b.figures)
	if b.root.standIn() {
		b.take(best, p)
		p.serial = true
	}
	b.take(best, p)
}

// limits bounds the effect by budget, where the rows are not known to be the best
// and times do not vary.
func (b *builder) limits() {
	if !b.judge.fixed || !b.root.standIn() && len(b.links.inexact()) == 0 || !b.bounds() {
		return
	}
	p := b.in.newPass(b.in.links(b.root, 0), b.in.To+len(b.in.Points)).at(None, b.figures)
	p.prepare(0)
	b.bound = p.solve(b.root, nil).v[0]
}

// bounds tells whether ample supply bounds the effect from above: not where less
// of a thing may earn more, or may be faster than the fastest level allowed.
func (b *builder) bounds() bool {
	if len(b.links.inexact()) == 0 {
		return true
	}
	for i := range b.in.Points {
		p := &b.in.Points[i]
		if lo, _ := p.span(); lo > 1 {
			return false
		}
		for l := 1; l < len(p.Levels); l++ {
			if p.Levels[l].Effect < p.Levels[l-1].Effect {
				return false
			}
		}
	}
	return true
}

// take considers the best vector for each budget of a pass, over all choices of
// the fixed points.
func (b *builder) take(best []*choice, p *pass) {
	value, of := make([]float64, p.span+1), make([]int32, p.span+1)
	for t := range value {
		value[t] = infeasible
	}
	var top *state
	for n := range b.links.combos {
		p.prepare(n)
		top = p.solve(b.root, nil)
		for t, x := range top.v[0] {
			if x > value[t] {
				value[t], of[t] = x, int32(n)
			}
		}
	}
	last, at, late := infeasible, b.links.combos-1, 0
	for t := 0; t <= p.span && late < tooLong; t++ {
		if value[t] <= last {
			continue
		}
		last = value[t]
		if n := int(of[t]); n != at {
			at = n
			p.prepare(n)
			top = p.solve(b.root, nil)
		}
		levels := make([]int, len(b.in.Points))
		top.back.trace(p, 0, t, levels)
		if b.consider(best, levels) > float64(b.in.To) {
			late++
		} else {
			late = 0
		}
	}
}

// consider files a vector under the shortest target it meets.
func (b *builder) consider(best []*choice, levels []int) (stat float64) {
	c := &choice{levels: levels, flow: b.in.Flow(levels)}
	c.stat = b.judge.of(c.flow.Points)
	at := max(ceil(c.stat), 0)
	if at < len(best) && (best[at] == nil || c.betterThan(best[at])) {
		best[at] = c
	}
	return c.stat
}

func (c *choice) betterThan(o *choice) bool {
	if d := cmp.Compare(c.flow.Effect, o.flow.Effect); d != 0 {
		return d > 0
	}
	return c.flow.Work < o.flow.Work
}

// table writes the choices down, target by target.
func (b *builder) table(best []*choice) *Table {
	in := b.in
	t := &Table{Statistic: in.Statistic, From: in.From, To: in.To, First: in.To + 1, Limit: in.Limit}
	for i := range in.Points {
		t.Points = append(t.Points, in.Points[i].Name)
	}
	for i := range in.Graph.Nodes {
		if n := &in.Graph.Nodes[i]; n.Call {
			t.Calls = append(t.Calls, n.Name)
		}
	}
	for _, c := range b.links.inexact() {
		t.Unlinked = append(t.Unlinked, in.Points[c].Name)
	}
	t.Bounded = b.root.standIn()
	if t.Fastest = b.judge.of(in.Flow(b.floor()).Points); best[in.To] != nil {
		t.Slowest = best[in.To].stat
	}
	gains := b.gains()
	w := &windows{b: b}
	for target := in.From; target <= in.To; target++ {
		c := best[target]
		if c == nil {
			continue
		}
		t.First = min(t.First, target)
		t.Rows = append(t.Rows, b.row(target, c, gains, w))
	}
	t.slopes()
	b.limits()
	for i := range t.Rows {
		if r := &t.Rows[i]; b.bound != nil && b.bound[r.Target] > r.Effect {
			r.Bound = b.bound[r.Target]
			t.Gap = max(t.Gap, (r.Bound-r.Effect)/math.Abs(r.Bound))
		}
	}
	return t
}

func (b *builder) row(target int, c *choice, gains [][]gain, w *windows) Row {
	r := Row{Target: target, RT: round(c.stat), Effect: c.flow.Effect, Work: c.flow.Work, Cut: c.flow.Cut, Idle: c.flow.Idle}
	stretch := 1.0
	if c.stat > 0 {
		stretch = max(float64(target)/c.stat, 1)
	}
	for i, l := range c.levels {
		f := &c.flow.Points[i]
		mean := b.figures[i][f.Ran-1].mean
		if f.byClass != nil {
			mean = b.in.meanRT(i, f)
		}
		g := gains[i][l-1]
		hold := mean
		if b.in.Points[i].Crowds {
			hold = b.in.Points[i].Levels[f.Ran-1].setpoint
		}
		r.Points = append(r.Points, PointRow{
			Level: l, Ran: f.Ran, RT: round(mean), Setpoint: round(hold * stretch), Effect: f.Effect,
			Work: f.Work, Cut: f.Cut, Idle: f.Idle, PerMS: g.perMS, PerCoreSecond: g.perCoreSecond,
		})
	}
	r.Timeouts = w.of(target, c, stretch)
	return r
}

// round keeps a hundredth of a millisecond: a profile knows no more.
func round(ms float64) float64 { return math.Round(ms*100) / 100 }

// gain is what the next level up would earn, or at the top what the last one did.
type gain struct{ perMS, perCoreSecond float64 }

func (b *builder) gains() [][]gain {
	in := b.in
	out := make([][]gain, len(in.Points))
	for i := range in.Points {
		p := &in.Points[i]
		out[i] = make([]gain, len(p.Levels))
		for l := range p.Levels {
			from, to := l, l+1
			for to < len(p.Levels) && p.Levels[to].Effect <= p.Levels[from].Effect {
				to++
			}
			if to == len(p.Levels) {
				if from, to = l-1, l; from < 0 {
					continue
				}
			}
			x, y := &p.Levels[from], &p.Levels[to]
			e := y.Effect - x.Effect
			if ms := b.figures[i][to].mean - b.figures[i][from].mean; ms > 0 {
				out[i][l].perMS = e / ms
			}
			if w := y.Work - x.Work; w > 0 {
				out[i][l].perCoreSecond = e / w * 1000
			}
		}
	}
	return out
}

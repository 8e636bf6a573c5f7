package leaderboard

import (
	"cmp"
	"slices"
	"time"

	"github.com/allspark/allspark/server/telemetry"
)

// Group is what a row of the board stands for.
type Group string

// The groups.
const (
	ByPoint Group = "point"
	ByApp   Group = "app"
	ByIDC   Group = "idc"
	ByScene Group = "scene"
)

// Sort is the figure that ranks, Down the greatest first.
type Sort struct {
	By   string // level, movement, flapping, floor, overridden
	Down bool
}

// Track is one series over the stretch and the one before it.
type Track struct {
	Key
	Bounds   Bounds
	Now      []telemetry.Timed
	Before   []telemetry.Timed
	Manual   []Span  // merged, over both stretches
	Live     float64 // mean level of the last seconds; 0 when there is none
	LiveLoad int64   // requests it is of
}

// Key names a series.
type Key = telemetry.Key

// Row is a line of the board.
type Row struct {
	Key          // of a group only its own field
	Members      int
	Rank         int // 1 is first
	PreviousRank int // 0: was not there
	Figures      Figures
	Previous     *Figures  // over the stretch before
	Trend        []float64 // heights over the stretch, oldest first, -1 where nothing was asked
	Bounds       Bounds    // of a point
}

// trendSteps is how many heights a row shows: as many as a small chart has room for.
const trendSteps = 48

// member is what stays of a track: its figures, and its part of the trend.
type member struct {
	now    Figures
	prev   *Figures
	bounds Bounds
	trend  trend
}

// Ranking takes one track after the other and keeps only figures of them.
type Ranking struct {
	span   Span
	step   time.Duration
	group  Group
	live   bool
	groups map[Key][]member
}

// NewRanking begins a board. With live, level and height are those of the last
// seconds, and what sent nothing in them is left out.
func NewRanking(span Span, step time.Duration, g Group, live bool) *Ranking {
	return &Ranking{span: span, step: step, group: g, live: live, groups: map[Key][]member{}}
}

// Add measures a track. Sums of groups depend in their last digits on the order.
func (r *Ranking) Add(t *Track) {
	m := member{bounds: boundsOf(t.Now, t.Bounds)}
	var ok bool
	if m.now, ok = measure(t.Now, r.step, t.Bounds, t.Manual); !ok && !r.live {
		return
	}
	if r.live {
		if t.Live <= 0 {
			return
		}
		m.now.Level, m.now.Height = t.Live, height(t.Live, m.bounds)
		m.now.Requests = max(m.now.Requests, t.LiveLoad)
	}
	if p, ok := measure(t.Before, r.step, t.Bounds, t.Manual); ok {
		m.prev = &p
	}
	m.trend.see(t.Now, m.bounds, r.span)
	k := groupKey(t.Key, r.group)
	r.groups[k] = append(r.groups[k], m)
}

// Rows makes the board of what was added.
func (r *Ranking) Rows(by Sort) []Row {
	rows := make([]Row, 0, len(r.groups))
	for k, ms := range r.groups {
		rows = append(rows, rowOf(k, ms, r.group))
	}
	order(rows, by)
	return rows
}

func groupKey(k Key, g Group) Key {
	switch g {
	case ByApp:
		return Key{App: k.App}
	case ByIDC:
		return Key{IDC: k.IDC}
	case ByScene:
		return Key{Scene: k.Scene}
	}
	return k
}

func rowOf(k Key, ms []member, g Group) Row {
	r := Row{Key: k, Members: len(ms)}
	var now, before []Figures
	var sum trend
	for i := range ms {
		m := &ms[i]
		sum.add(&m.trend)
		now = append(now, m.now)
		if m.prev != nil {
			before = append(before, *m.prev)
		}
	}
	r.Figures = join(now, g)
	if len(before) > 0 {
		p := join(before, g)
		r.Previous = &p
	}
	r.Trend = sum.heights()
	if g == ByPoint {
		r.Bounds = ms[0].bounds
	}
	return r
}

// join makes one set of figures of the members'.
func join(in []Figures, g Group) Figures {
	if g == ByPoint {
		return in[0]
	}
	var out Figures
	var requests, covered float64
	for _, f := range in {
		n, c := float64(f.Requests), f.Covered.Seconds()
		out.Height += f.Height * n
		out.Floor += f.Floor * c
		out.Overridden += f.Overridden * c
		out.Movement += f.Movement / float64(len(in))
		out.Flaps += f.Flaps / float64(len(in))
		out.Requests += f.Requests
		out.Covered += f.Covered
		requests += n
		covered += c
	}
	if requests > 0 {
		out.Height /= requests
	}
	if covered > 0 {
		out.Floor, out.Overridden = out.Floor/covered, out.Overridden/covered
	}
	return out
}

// trend is samples spread over trendSteps heights, weighted by requests.
type trend struct{ sum, weight [trendSteps]float64 }

func (t *trend) see(samples []telemetry.Timed, b Bounds, span Span) {
	width := span.To.Sub(span.From)
	for i := range samples {
		s := &samples[i]
		at := int(int64(s.At.Sub(span.From)) * trendSteps / int64(width))
		if s.Count <= 0 || s.LevelCenti <= 0 || at < 0 || at >= trendSteps {
			continue
		}
		t.sum[at] += height(float64(s.LevelCenti)/100, b) * float64(s.Count)
		t.weight[at] += float64(s.Count)
	}
}

func (t *trend) add(o *trend) {
	for i := range t.sum {
		t.sum[i] += o.sum[i]
		t.weight[i] += o.weight[i]
	}
}

func (t *trend) heights() []float64 {
	out := make([]float64, trendSteps)
	for i := range out {
		out[i] = -1
		if t.weight[i] > 0 {
			out[i] = t.sum[i] / t.weight[i]
		}
	}
	return out
}

// figure gives the value that ranks.
func (f *Figures) figure(by string) float64 {
	switch by {
	case "movement":
		return f.Movement
	case "flapping":
		return f.Flaps
	case "floor":
		return f.Floor
	case "overridden":
		return f.Overridden
	}
	return f.Height
}

// order sorts the rows and gives each its rank, and the one it had before.
func order(rows []Row, by Sort) {
	compare := func(a, b *Figures, ka, kb Key) int {
		c := cmp.Compare(a.figure(by.By), b.figure(by.By))
		if by.Down {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(ka.App, kb.App), cmp.Compare(ka.Point, kb.Point), cmp.Compare(ka.IDC, kb.IDC), cmp.Compare(ka.Scene, kb.Scene))
	}
	before := make([]*Row, 0, len(rows))
	slices.SortFunc(rows, func(a, b Row) int { return compare(&a.Figures, &b.Figures, a.Key, b.Key) })
	for i := range rows {
		rows[i].Rank = i + 1
		if rows[i].Previous != nil {
			before = append(before, &rows[i])
		}
	}
	slices.SortFunc(before, func(a, b *Row) int { return compare(a.Previous, b.Previous, a.Key, b.Key) })
	for i, r := range before {
		r.PreviousRank = i + 1
	}
}

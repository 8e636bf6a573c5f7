package allocation

import (
	"fmt"
	"math"

	"github.com/allspark/allspark/proto/gear"
)

// Bounds of an input. They keep one build within a second or so and a mistake
// from exhausting a controller.
const (
	MaxPoints  = 200
	MaxClasses = 8
	MaxTarget  = 60_000 // ms
	maxSpan    = 5_000  // targets in one table
)

// None is the index of nothing: no feeder, no parent, no point.
const None = -1

// Input is all a build needs.
type Input struct {
	Classes   []Class // of load; at least one
	Points    []Point
	Graph     Graph
	Statistic Statistic // what the target speaks of
	From, To  int       // targets, ms, both included
	Limit     float64   // ms after which the caller in front gives up; 0 for none
}

// Class is a group of requests of similar load: who is heavy at one point is
// heavy at all of them, so distributions are combined within a class.
type Class struct {
	Name  string
	Share float64 // of the requests
}

// Point is a control point and what each of its levels costs and earns.
type Point struct {
	Name     string // app/point
	Levels   []Level
	Min, Max int  // levels that may be chosen, 1-based; 0 for all
	Feeder   int  // the point whose output this one works on; None for none
	Crowds   bool // its crowds are each held at or under its setpoint, with its level as their cap
}

// Level is one level's profile.
type Level struct {
	RT     []Dist  // by class
	Work   float64 // core-milliseconds a request
	Effect float64 // value a request
	Cap    float64 // results from upstream it takes at most; 0 means any number
	Output float64 // results it hands on, with its cap filled; 0 means not counted

	// Under crowds, by class; nil where all classes run alike.
	setpoint      float64   // what each crowd is held at or under, ms
	caps, outputs []float64 // what a request of the class takes at most, and hands on
}

// Statistic is the mean (Q = 0) or the quantile Q of end-to-end RT.
type Statistic struct{ Q float64 }

// String gives "mean" or "p99".
func (s Statistic) String() string {
	if s.Q == 0 {
		return "mean"
	}
	return fmt.Sprintf("p%g", math.Round(s.Q*1e5)/1e3)
}

// Graph says what runs when. Nodes with the same Parent form one block; an edge
// says that From is over before To begins.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a point at work or, with Call set, an external edge: a call that lasts
// as long as the nodes whose Parent it is, and the network.
type Node struct {
	Name    string
	Point   int // None for a call without a profile of its own
	Call    bool
	Parent  int     // the call within which it runs; None at the top
	Network float64 // ms, of a call
	Retries int     // of a call: it may take 1+Retries times as long
}

// Edge is precedence. One between nodes of different parents is a cross-link.
type Edge struct{ From, To int }

// Check finds everything that is wrong; a build refuses what has problems.
func (in *Input) Check() gear.Problems {
	var out gear.Problems
	if n := len(in.Points); n == 0 || n > MaxPoints {
		out.Add("points", gear.CodeLength, fmt.Sprintf("a scene wants 1 to %d points, got %d", MaxPoints, n))
	}
	if n := len(in.Classes); n == 0 || n > MaxClasses {
		out.Add("classes", gear.CodeLength, fmt.Sprintf("an input wants 1 to %d load classes, got %d", MaxClasses, n))
		return out
	}
	total := 0.0
	for i, c := range in.Classes {
		if !(c.Share >= 0) || math.IsInf(c.Share, 0) {
			out.Add(fmt.Sprintf("classes[%d].share", i), gear.CodeRange, fmt.Sprintf("the share of class %q is %g, not a share", gear.Shown(c.Name), c.Share))
		}
		total += c.Share
	}
	if math.Abs(total-1) > 1e-6 {
		out.Add("classes", gear.CodeRange, fmt.Sprintf("the shares of the load classes add up to %g, not to 1", total))
	}
	if q := in.Statistic.Q; !(q >= 0 && q < 1) {
		out.Add("statistic", gear.CodeRange, fmt.Sprintf("the statistic wants the mean or a quantile below 1, got %g", q))
	}
	if in.From < 1 || in.To < in.From || in.To > MaxTarget || in.To-in.From >= maxSpan {
		out.Add("targets", gear.CodeRange, fmt.Sprintf("targets want 1..%d ms and at most %d of them, got %d..%d", MaxTarget, maxSpan, in.From, in.To))
	}
	if !(in.Limit >= 0) || math.IsInf(in.Limit, 0) {
		out.Add("limit", gear.CodeRange, fmt.Sprintf("the limit is %g ms, not a time", in.Limit))
	}
	for i := range in.Points {
		in.checkPoint(i, &out)
	}
	in.Graph.check(len(in.Points), &out)
	if len(out) == 0 {
		in.checkFeeders(&out)
	}
	return out
}

// checkFeeders refuses a feeder that is not over before its consumer begins.
func (in *Input) checkFeeders(out *gear.Problems) {
	o := newOrder(&in.Graph)
	node := make([]int, len(in.Points))
	for i, n := range in.Graph.Nodes {
		if n.Point != None {
			node[n.Point] = i
		}
	}
	for i := range in.Points {
		if f := in.Points[i].Feeder; f != None && !o.precedes(node[f], node[i]) {
			out.Add(fmt.Sprintf("points[%d].feeder", i), gear.CodeOrder,
				fmt.Sprintf("%s works on the output of %s, which is not over before it begins", gear.Shown(in.Points[i].Name), gear.Shown(in.Points[f].Name)))
		}
	}
}

func (in *Input) checkPoint(i int, out *gear.Problems) {
	p := &in.Points[i]
	path, name := fmt.Sprintf("points[%d]", i), gear.Shown(p.Name)
	if n := len(p.Levels); n == 0 || n > gear.MaxLevels {
		out.Add(path+".levels", gear.CodeLength, fmt.Sprintf("%s wants 1 to %d levels, got %d", name, gear.MaxLevels, n))
		return
	}
	if lo, hi := p.span(); lo < 1 || hi > len(p.Levels) || lo > hi {
		out.Add(path+".min", gear.CodeRange, fmt.Sprintf("%s allows levels %d..%d of %d", name, lo, hi, len(p.Levels)))
	}
	if f := p.Feeder; f != None && (f < 0 || f >= len(in.Points) || f == i) {
		out.Add(path+".feeder", gear.CodeUnknown, name+" works on the output of a point that is not there")
	} else if in.fedInCircle(i) {
		out.Add(path+".feeder", gear.CodeShape, name+" works on its own output, by way of others")
	}
	for l := range p.Levels {
		v := &p.Levels[l]
		at := fmt.Sprintf("%s.levels[%d]", path, l)
		if len(v.RT) != len(in.Classes) {
			out.Add(at+".rt", gear.CodeShape, fmt.Sprintf("%s has %d distributions of RT at level %d for %d classes", name, len(v.RT), l+1, len(in.Classes)))
		}
		for c := range v.RT {
			if err := v.RT[c].check(); err != "" {
				out.Add(at+".rt", gear.CodeRange, fmt.Sprintf("the RT of %s at level %d %s", name, l+1, err))
			}
		}
		for _, x := range [...]struct {
			what string
			v    float64
			low  float64
		}{{"work", v.Work, 0}, {"cap", v.Cap, 0}, {"output", v.Output, 0}, {"effect", v.Effect, math.Inf(-1)}} {
			if !(x.v >= x.low) || math.IsInf(x.v, 0) {
				out.Add(at+"."+x.what, gear.CodeRange, fmt.Sprintf("the %s of %s at level %d is %g", x.what, name, l+1, x.v))
			}
		}
		if p.Feeder != None && v.Cap == 0 {
			out.Add(at+".cap", gear.CodeRequired, fmt.Sprintf("%s works on the output of another point and wants a cap at level %d", name, l+1))
		}
		if l > 0 && capOf(v) < capOf(&p.Levels[l-1]) {
			out.Add(at+".cap", gear.CodeOrder, fmt.Sprintf("the cap of %s falls from level %d to %d", name, l, l+1))
		}
	}
}

func (in *Input) fedInCircle(i int) bool {
	at := i
	for range in.Points {
		if at = in.Points[at].Feeder; at < 0 || at >= len(in.Points) {
			return false
		}
		if at == i {
			return true
		}
	}
	return false // a circle further up, which does not hold i
}

// span is the range of levels that may be chosen.
func (p *Point) span() (lo, hi int) {
	lo, hi = p.Min, p.Max
	if lo == 0 {
		lo = 1
	}
	if hi == 0 {
		hi = len(p.Levels)
	}
	return lo, hi
}

// capOf is a level's cap with "any number" made a number.
func capOf(l *Level) float64 {
	if l.Cap == 0 {
		return math.Inf(1)
	}
	return l.Cap
}

func (g *Graph) check(points int, out *gear.Problems) {
	seen := make([]bool, points)
	for i, n := range g.Nodes {
		path := fmt.Sprintf("graph.nodes[%d]", i)
		name := gear.Shown(n.Name)
		switch {
		case n.Point == None && !n.Call:
			out.Add(path, gear.CodeRequired, name+" is neither a point nor a call")
		case n.Point != None && (n.Point < 0 || n.Point >= points):
			out.Add(path, gear.CodeUnknown, name+" names a point that is not there")
		case n.Point != None && seen[n.Point]:
			out.Add(path, gear.CodeDuplicate, name+" stands in the graph twice")
		case n.Point != None:
			seen[n.Point] = true
		}
		if p := n.Parent; p >= 0 && p < len(g.Nodes) && g.Nodes[p].Point != None {
			out.Add(path+".parent", gear.CodeShape, name+" runs within a call that has a profile of its own")
		}
		if !(n.Network >= 0) || n.Network > MaxTarget {
			out.Add(path+".network", gear.CodeRange, fmt.Sprintf("the network time of %s is %g ms", name, n.Network))
		}
		if n.Retries < 0 || n.Retries > 10 {
			out.Add(path+".retries", gear.CodeRange, fmt.Sprintf("%s retries %d times; 0 to 10 are possible", name, n.Retries))
		}
		if p := n.Parent; p != None && (p < 0 || p >= len(g.Nodes) || !g.Nodes[p].Call) {
			out.Add(path+".parent", gear.CodeUnknown, name+" runs within something that is no call")
		}
	}
	for i, ok := range seen {
		if !ok {
			out.Add("graph", gear.CodeRequired, fmt.Sprintf("point %d does not stand in the graph", i))
		}
	}
	for i, e := range g.Edges {
		if e.From < 0 || e.To < 0 || e.From >= len(g.Nodes) || e.To >= len(g.Nodes) || e.From == e.To {
			out.Add(fmt.Sprintf("graph.edges[%d]", i), gear.CodeUnknown, "an edge leads from or to nothing")
		}
	}
	if len(*out) == 0 {
		g.checkOrder(out)
	}
}

// checkOrder refuses circles, of parents and of precedence, and links into a
// call that is retried: how often its parts run would not be known.
func (g *Graph) checkOrder(out *gear.Problems) {
	for i := range g.Nodes {
		at := i
		for range len(g.Nodes) + 1 {
			if at = g.Nodes[at].Parent; at == None {
				break
			}
		}
		if at != None {
			out.Add(fmt.Sprintf("graph.nodes[%d].parent", i), gear.CodeShape, gear.Shown(g.Nodes[i].Name)+" runs within itself")
			return
		}
	}
	o := newOrder(g)
	if i := o.circle(); i != None {
		out.Add("graph.edges", gear.CodeShape, gear.Shown(g.Nodes[i].Name)+" would have to be over before it begins: the graph has a circle")
		return
	}
	for i, n := range g.Nodes {
		if o.dissolved[i] && n.Retries > 0 {
			out.Add("graph.edges", gear.CodeShape, "a cross-link leads into or out of the call "+gear.Shown(n.Name)+", which is retried")
		}
	}
}

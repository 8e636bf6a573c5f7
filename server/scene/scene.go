package scene

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Bounds of a scene.
const (
	MaxNodes  = 300
	MaxEdges  = 2_000
	MaxLadder = 20
)

// Spec is the content of a scene's version.
type Spec struct {
	Name        string // of the scene as requests carry it; unique
	Description string
	Target      time.Duration   // end to end
	Statistic   Statistic       // of which RT the target speaks
	Timeout     time.Duration   // after which the caller in front gives up; 0: unknown
	MaxTimeouts float64         // share of timeouts the caller in front accepts, 0..1
	Ladder      []time.Duration // effective targets below Target, falling; step 1 is Target itself
	From, To    time.Duration   // targets the allocation table covers; 0: 50..500 ms
	Front       Place           // who measures the scene end to end, e.g. the span of app frontend
	Graph       Graph

	FeedbackAlone bool // a new target is approached step by step, without a preset
}

// Statistic is the mean (Quantile 0) or a quantile.
type Statistic struct{ Quantile float64 }

// Place is a point of an app.
type Place struct{ App, Point string }

// String gives app/point.
func (p Place) String() string { return p.App + "/" + p.Point }

// Graph is what a request passes.
type Graph struct {
	Nodes []Node
	Edges []Edge
}

// Node is a point, or an external edge.
type Node struct {
	ID       string // unique in the graph
	Place    Place
	External bool          // an external edge: a call to another app, owned by Place.App
	Within   string        // ID of the external edge during which the node runs; "" at the top
	Network  time.Duration // of an external edge
	Retries  int           // of an external edge
	Timeout  time.Duration // of an external edge: what is set today; 0: left to the table
	FedBy    string        // ID of the node on whose results the point works; "" for none
	X, Y     float64       // where the editor drew it
}

// Edge says that From is over before To begins; both are node IDs.
type Edge struct{ From, To string }

// Scene is a version of a scene.
type Scene struct {
	ID string
	Spec
	Version   int64 // number of the immutable version, and the ETag
	CreatedBy string
	CreatedAt time.Time
	UpdatedBy string
	UpdatedAt time.Time
	Reason    string // of this version
}

// Store keeps scenes. Every write makes an immutable version, with its audit
// entry in the same transaction.
type Store interface {
	CreateScene(ctx context.Context, s *Scene, c audit.Change) error
	// UpdateScene writes the next version if s.Version stands (fault.Stale with
	// base and theirs otherwise).
	UpdateScene(ctx context.Context, s *Scene, c audit.Change) error
	DeleteScene(ctx context.Context, id string, version int64, c audit.Change) error
	GetScene(ctx context.Context, id string) (*Scene, error)
	FindScene(ctx context.Context, name string) (*Scene, error)
	// ListScenes gives all of them by name: there are dozens.
	ListScenes(ctx context.Context) ([]*Scene, error)
	// GetSceneVersion gives a version, 0 the newest, of a scene that is there or was deleted.
	GetSceneVersion(ctx context.Context, id string, version int64) (*Scene, error)
	// ListSceneVersions gives the newest first.
	ListSceneVersions(ctx context.Context, id string, limit int) ([]*Scene, error)
}

// Step gives the effective target of a step of the RT gear: 1 is the scene's
// target. A step beyond the ladder gets its end, and clamped says so.
func (s *Spec) Step(n int) (target time.Duration, clamped bool) {
	switch {
	case n <= 1:
		return s.Target, n < 1
	case n-2 < len(s.Ladder):
		return s.Ladder[n-2], false
	case len(s.Ladder) > 0:
		return s.Ladder[len(s.Ladder)-1], true
	}
	return s.Target, true
}

// Steps is how many steps the RT gear has.
func (s *Spec) Steps() int { return 1 + len(s.Ladder) }

// Range is which targets the allocation table covers, in whole ms.
func (s *Spec) Range() (from, to int) {
	from, to = 50, 500
	if s.From > 0 {
		from = int(s.From / time.Millisecond)
	}
	if s.To > 0 {
		to = int(s.To / time.Millisecond)
	}
	return from, to
}

// Node finds a node's index by its ID; allocation.None when there is none.
func (g *Graph) Node(id string) int {
	for i := range g.Nodes {
		if g.Nodes[i].ID == id {
			return i
		}
	}
	return allocation.None
}

// Find finds the node of a place; allocation.None when there is none.
func (g *Graph) Find(p Place) int {
	return slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Place == p })
}

// Check finds what is wrong with a scene by itself. known tells which points are
// declared; nil accepts all.
func (s *Spec) Check(known func(Place) bool) gear.Problems {
	var out gear.Problems
	if !gear.PlaceName(s.Name) {
		out.Add("name", gear.CodeName, fmt.Sprintf("%q is not a scene's name", gear.Shown(s.Name)))
	}
	if len(s.Description) > gear.MaxText {
		out.Add("description", gear.CodeLength, fmt.Sprintf("the description is longer than %d bytes", gear.MaxText))
	}
	const most = allocation.MaxTarget * time.Millisecond
	if s.Target < time.Millisecond || s.Target > most {
		out.Add("target", gear.CodeRange, fmt.Sprintf("the target wants 1ms..%s, got %s", most, s.Target))
	}
	if q := s.Statistic.Quantile; !(q >= 0 && q < 1) {
		out.Add("statistic", gear.CodeRange, fmt.Sprintf("the statistic wants the mean or a quantile below 1, got %g", q))
	}
	if s.Timeout < 0 || s.Timeout > most {
		out.Add("timeout", gear.CodeRange, fmt.Sprintf("the timeout wants 0..%s, got %s", most, s.Timeout))
	} else if s.Timeout > 0 && s.Timeout < s.Target {
		out.Add("timeout", gear.CodeRange, fmt.Sprintf("the caller in front gives up after %s, before the target %s", s.Timeout, s.Target))
	}
	if !(s.MaxTimeouts >= 0 && s.MaxTimeouts <= 1) {
		out.Add("max_timeouts", gear.CodeRange, fmt.Sprintf("the accepted share of timeouts wants 0..1, got %g", s.MaxTimeouts))
	}
	if len(s.Ladder) > MaxLadder {
		out.Add("ladder", gear.CodeLength, fmt.Sprintf("the ladder has %d steps; at most %d", len(s.Ladder), MaxLadder))
	}
	for i, last := 0, s.Target; i < len(s.Ladder); i++ {
		if s.Ladder[i] >= last || s.Ladder[i] < time.Millisecond {
			out.Add(fmt.Sprintf("ladder[%d]", i), gear.CodeOrder, fmt.Sprintf("the ladder falls from step to step; %s does not lie below %s", s.Ladder[i], last))
		}
		last = s.Ladder[i]
	}
	if from, to := s.Range(); from < 1 || to < from || to > allocation.MaxTarget || to-from >= 5000 {
		out.Add("range", gear.CodeRange, fmt.Sprintf("the table's targets want 1..%d ms, at most 5000 of them, got %d..%d", allocation.MaxTarget, from, to))
	}
	out = append(out, s.Graph.check(known)...)
	return out
}

// Warnings are what is allowed and rarely meant: a target or a step of the ladder
// that the table will clamp.
func (s *Spec) Warnings() gear.Problems {
	var out gear.Problems
	from, to := s.Range()
	for n := 1; n <= s.Steps(); n++ {
		t, _ := s.Step(n)
		path := "target"
		if n > 1 {
			path = fmt.Sprintf("ladder[%d]", n-2)
		}
		if ms := int(t / time.Millisecond); ms < from || ms > to {
			out.Add(path, gear.CodeRange, fmt.Sprintf("%s lies outside the table's targets %d..%d ms and gets the nearest row", t, from, to))
		}
	}
	return out
}

func (g *Graph) check(known func(Place) bool) gear.Problems {
	var out gear.Problems
	if len(g.Nodes) > MaxNodes || len(g.Edges) > MaxEdges {
		out.Add("graph", gear.CodeLength, fmt.Sprintf("the graph has %d nodes and %d edges; at most %d and %d", len(g.Nodes), len(g.Edges), MaxNodes, MaxEdges))
		return out
	}
	ids, places := map[string]bool{}, map[Place]bool{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		path := fmt.Sprintf("graph.nodes[%d]", i)
		name := gear.Shown(n.ID)
		switch {
		case n.ID == "" || len(n.ID) > 2*gear.MaxName+1 || strings.ContainsFunc(n.ID, func(r rune) bool { return gear.Inert(r) != r }):
			out.Add(path+".id", gear.CodeName, fmt.Sprintf("%q is not a node's name", name))
		case ids[n.ID]:
			out.Add(path+".id", gear.CodeDuplicate, "the node "+name+" stands in the graph twice")
		}
		ids[n.ID] = true
		if !gear.PlaceName(n.Place.App) || !gear.PlaceName(n.Place.Point) {
			out.Add(path+".place", gear.CodeName, fmt.Sprintf("the place of %s is not an app and a point", name))
		} else if places[n.Place] {
			out.Add(path+".place", gear.CodeDuplicate, n.Place.String()+" stands in the graph twice")
		} else if known != nil && !known(n.Place) {
			out.Add(path+".place", gear.CodeUnknown, "no registered build declares the point "+n.Place.String())
		}
		places[n.Place] = true
		if !n.External && (n.Network != 0 || n.Retries != 0 || n.Timeout != 0) {
			out.Add(path, gear.CodeShape, name+" is no external edge and has neither network nor retries nor timeout")
		}
		if n.Network < 0 || n.Timeout < 0 || n.Network > time.Minute || n.Timeout > time.Minute {
			out.Add(path, gear.CodeRange, "network and timeout of "+name+" want 0s..1m")
		}
		if n.Retries < 0 || n.Retries > 10 {
			out.Add(path+".retries", gear.CodeRange, fmt.Sprintf("%s retries %d times; 0 to 10 are possible", name, n.Retries))
		}
		if math.IsNaN(n.X) || math.IsInf(n.X, 0) || math.IsNaN(n.Y) || math.IsInf(n.Y, 0) {
			out.Add(path, gear.CodeFinite, "the position of "+name+" is not a number")
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if k := g.Node(n.Within); n.Within != "" && (k < 0 || !g.Nodes[k].External) {
			out.Add(fmt.Sprintf("graph.nodes[%d].within", i), gear.CodeUnknown, fmt.Sprintf("%s runs within %q, which is no external edge", gear.Shown(n.ID), gear.Shown(n.Within)))
		}
		if n.FedBy != "" && !ids[n.FedBy] {
			out.Add(fmt.Sprintf("graph.nodes[%d].fed_by", i), gear.CodeUnknown, fmt.Sprintf("%s works on the results of %q, which is not there", gear.Shown(n.ID), gear.Shown(n.FedBy)))
		}
	}
	for i, e := range g.Edges {
		if !ids[e.From] || !ids[e.To] {
			out.Add(fmt.Sprintf("graph.edges[%d]", i), gear.CodeUnknown, fmt.Sprintf("the edge from %q to %q names a node that is not there", gear.Shown(e.From), gear.Shown(e.To)))
		}
	}
	if len(out) == 0 && len(g.Nodes) > 0 {
		out = append(out, g.checkShape()...)
		if len(out) == 0 {
			out = append(out, g.CheckTimeouts(nil)...)
		}
	}
	return out
}

// stale builds what a merge needs.
func stale(mine, theirs *Scene, base *Scene) error {
	e := fault.New(fault.Stale, "scene %q was changed by %s meanwhile (version %d, yours %d)", theirs.Name, gear.Shown(theirs.UpdatedBy), theirs.Version, mine.Version)
	var b any
	if base != nil {
		b = base
	}
	e.Detail = fault.Clash{Base: b, Theirs: theirs}
	return e
}

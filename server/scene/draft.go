package scene

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

const (
	// leastShare of the requests that passed two points must show an order for a draft
	// to draw it: what runs side by side begins before the other is over, a series
	// never does. The rest is for requests that were cut off or asked twice.
	leastShare = 0.98
	// leastSeen is how often a point must have been met to be drawn: of fewer nothing
	// can be said to within leastShare.
	leastSeen = 20
)

// Draft is a graph made of what agents saw, with what speaks for it.
type Draft struct {
	Graph Graph
	Front Place // the point around the whole request; zero when none was seen
	Nodes []NodeEvidence
	Edges []EdgeEvidence
	Left  []Left
}

// NodeEvidence says how often a node was met, by the order of Graph.Nodes.
type NodeEvidence struct {
	ID     string
	Seen   int64 // requests
	Within int64 // of them, those that came through the node's Within
}

// EdgeEvidence says in how many of the requests that passed both the first was over
// before the second began, by the order of Graph.Edges.
type EdgeEvidence struct {
	Edge
	Seen, Of int64
}

// Left is what was seen and is not in the graph.
type Left struct {
	Place  Place
	Reason string
}

// Results tells whether a point works on results of another, and whether it hands
// results on.
type Results func(Place) (takes, gives bool)

type pair struct{ a, b Place }

// sums of sightings.
type sums struct {
	nodes   map[Place]*Node
	total   map[Place]int64
	spans   map[Place]int64
	entered map[Place]map[Place]int64
	after   map[pair]int64
}

func addUp(seen []Sighting) *sums {
	t := &sums{map[Place]*Node{}, map[Place]int64{}, map[Place]int64{}, map[Place]map[Place]int64{}, map[pair]int64{}}
	for _, s := range seen {
		if s.Count <= 0 || s.Place == (Place{}) {
			continue
		}
		if t.nodes[s.Place] == nil {
			t.nodes[s.Place] = &Node{ID: s.Place.String(), Place: s.Place}
			t.entered[s.Place] = map[Place]int64{}
		}
		t.nodes[s.Place].External = t.nodes[s.Place].External || s.External
		switch {
		case s.Span:
			t.spans[s.Place] += s.Count
		case s.After != (Place{}):
			t.after[pair{s.After, s.Place}] += s.Count
		default: // the sighting itself, once a request
			t.total[s.Place] += s.Count
			t.entered[s.Place][s.Caller] += s.Count
		}
	}
	return t
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.Point, b.Point))
}

// NewDraft makes a graph of what was seen: nodes within the call that they were
// reached through, ordered where they always were, without the edges that others
// imply. A point that takes results works on those of the last one before it that
// gives some. A point around others is no step; the one around all is the front.
func NewDraft(seen []Sighting, results Results) Draft {
	t := addUp(seen)
	var d Draft
	places := t.steps(&d)
	for _, p := range places {
		n, caller := t.nodes[p], t.caller(p)
		if k := t.nodes[caller]; k != nil && slices.Contains(places, caller) {
			n.Within = k.ID
		}
		d.Graph.Nodes = append(d.Graph.Nodes, *n)
		d.Nodes = append(d.Nodes, NodeEvidence{n.ID, t.total[p], t.entered[p][caller]})
	}
	before := t.orders(places, d.Graph.Nodes)
	for i, a := range places {
		for k, b := range places {
			if before[i][k] && !implied(before, i, k) {
				e := Edge{d.Graph.Nodes[i].ID, d.Graph.Nodes[k].ID}
				d.Graph.Edges = append(d.Graph.Edges, e)
				d.Edges = append(d.Edges, EdgeEvidence{e, t.after[pair{a, b}], max(min(t.total[a], t.total[b]), t.after[pair{a, b}])})
			}
		}
	}
	feed(&d.Graph, before, results)
	if d.Graph.checkShape() != nil { // contradictory sightings: keep the nodes, let people draw
		d.Graph.Edges, d.Edges = nil, nil
		for i := range d.Graph.Nodes {
			d.Graph.Nodes[i].FedBy = ""
		}
	}
	return d
}

// steps chooses the places that become nodes.
func (t *sums) steps(d *Draft) []Place {
	var out []Place
	var most int64
	for _, p := range slices.SortedFunc(maps.Keys(t.nodes), comparePlaces) {
		n := t.total[p]
		switch {
		case n < leastSeen:
			d.Left = append(d.Left, Left{p, fmt.Sprintf("it was met in %d followed requests; %d would say something", n, leastSeen)})
		case !t.nodes[p].External && 2*t.spans[p] > n:
			outside := t.caller(p) == (Place{})
			if outside && n > most {
				most, d.Front = n, p
			}
			d.Left = append(d.Left, Left{p, "other points and calls take place within it: it measures, and is no step of its own"})
		default:
			out = append(out, p)
		}
	}
	return out
}

// caller is the external edge through which a place was reached most often.
func (t *sums) caller(p Place) (best Place) {
	var most int64
	for _, c := range slices.SortedFunc(maps.Keys(t.entered[p]), comparePlaces) {
		if n := t.entered[p][c]; n > most && (c == (Place{}) || c.App != p.App) {
			most, best = n, c
		}
	}
	return best
}

// orders tells which place was always over before which began.
func (t *sums) orders(places []Place, nodes []Node) [][]bool {
	out := make([][]bool, len(places))
	for i, a := range places {
		out[i] = make([]bool, len(places))
		for k, b := range places {
			if i != k && nodes[i].Within == nodes[k].Within {
				both := float64(min(t.total[a], t.total[b]))
				out[i][k] = float64(t.after[pair{a, b}]) >= leastShare*both && float64(t.after[pair{b, a}]) <= (1-leastShare)*both
			}
		}
	}
	return out
}

// feed says on whose results each point works: those of the one before it that
// hands results on and after which nobody else does.
func feed(g *Graph, before [][]bool, results Results) {
	if results == nil {
		return
	}
	gives := make([]bool, len(g.Nodes))
	for i := range g.Nodes {
		if !g.Nodes[i].External {
			_, gives[i] = results(g.Nodes[i].Place)
		}
	}
	for i := range g.Nodes {
		if takes, _ := results(g.Nodes[i].Place); !takes || g.Nodes[i].External {
			continue
		}
		last := -1
		for k := range g.Nodes {
			if !gives[k] || !before[k][i] {
				continue
			}
			nearest := true
			for x := range g.Nodes {
				nearest = nearest && !(gives[x] && before[k][x] && before[x][i])
			}
			if nearest && last >= 0 {
				last = -1 // several side by side: whose results it works on is for people to say
				break
			}
			if nearest {
				last = k
			}
		}
		if last >= 0 {
			g.Nodes[i].FedBy = g.Nodes[last].ID
		}
	}
}

func implied(before [][]bool, i, k int) bool {
	for x := range before {
		if before[i][x] && before[x][k] {
			return true
		}
	}
	return false
}

// Keep takes over from the graph in force what traffic does not tell: network,
// retries, timeout and position of nodes that both have, and whose results a point
// works on where nothing was reported of it. It names the nodes that are new, and
// those that were not seen.
func (g *Graph) Keep(old *Graph) (fresh, gone []string) {
	fresh, gone = []string{}, []string{}
	ids := map[string]string{} // of the old graph to those of the new one
	for i := range old.Nodes {
		if k := g.Find(old.Nodes[i].Place); k >= 0 {
			ids[old.Nodes[i].ID] = g.Nodes[k].ID
		} else {
			gone = append(gone, old.Nodes[i].ID)
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		k := old.Find(n.Place)
		if k < 0 {
			fresh = append(fresh, n.ID)
			continue
		}
		o := &old.Nodes[k]
		n.X, n.Y = o.X, o.Y
		if n.External && o.External {
			n.Network, n.Retries, n.Timeout = o.Network, o.Retries, o.Timeout
		}
		if n.FedBy == "" {
			n.FedBy = ids[o.FedBy]
		}
	}
	return fresh, gone
}

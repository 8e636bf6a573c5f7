package scene

import (
	"cmp"
	"slices"
)

// Sighting is what agents report of who runs after whom, and who calls whom, in
// requests of a scene: the seam to the agents' propagation of calls.
type Sighting struct {
	Place    Place
	External bool // an external edge
	// Caller is the external edge through which the app of Place was entered; the
	// zero Place where the request came in from outside.
	Caller Place
	// After is a point of the same app that was over before this one began, in the
	// same request; the zero Place when there was none. One sighting an order seen.
	After Place
	Count int64 // requests in which it was seen so
}

// leastShare of a place's requests must show an order for a draft to draw it:
// what runs side by side ends in either order, a series never does.
const leastShare = 0.98

// Draft makes a graph of what was seen: nodes within the call that entered their
// app, ordered where they always were, without the edges that others imply.
// A point works on the results of the one right before it, where there is one.
func Draft(seen []Sighting) Graph {
	type pair struct{ a, b Place }
	nodes := map[Place]*Node{}
	total := map[Place]int64{}
	entered := map[Place]map[Place]int64{}
	after := map[pair]int64{}
	for _, s := range seen {
		if s.Count <= 0 || s.Place == (Place{}) {
			continue
		}
		if nodes[s.Place] == nil {
			nodes[s.Place] = &Node{ID: s.Place.String(), Place: s.Place, External: s.External}
			entered[s.Place] = map[Place]int64{}
		}
		nodes[s.Place].External = nodes[s.Place].External || s.External
		if s.After == (Place{}) { // the sighting itself, once a request
			total[s.Place] += s.Count
			entered[s.Place][s.Caller] += s.Count
			continue
		}
		after[pair{s.After, s.Place}] += s.Count
	}
	var g Graph
	places := make([]Place, 0, len(nodes))
	for p := range nodes {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b Place) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.Point, b.Point)) })
	for _, p := range places {
		n := nodes[p]
		var most int64
		for caller, count := range entered[p] {
			if count > most || count == most && caller.String() < n.Within {
				if k := nodes[caller]; k != nil && k.External && caller.App != p.App {
					most, n.Within = count, k.ID
				}
			}
		}
		g.Nodes = append(g.Nodes, *n)
	}
	n := len(places)
	before := make([][]bool, n)
	for i, a := range places {
		before[i] = make([]bool, n)
		for k, b := range places {
			if g.Nodes[i].Within == g.Nodes[k].Within && a.App == b.App {
				both := min(total[a], total[b])
				before[i][k] = both > 0 && float64(after[pair{a, b}]) >= leastShare*float64(both) && after[pair{b, a}] == 0
			}
		}
	}
	for i := range places {
		last := -1
		for k := range places {
			if before[i][k] && !implied(before, i, k) {
				g.Edges = append(g.Edges, Edge{g.Nodes[i].ID, g.Nodes[k].ID})
			}
			if before[k][i] && !implied(before, k, i) {
				if last >= 0 {
					last = -2 // several right before it: whose results it works on is for people to say
				} else if last == -1 {
					last = k
				}
			}
		}
		if last >= 0 && !g.Nodes[i].External && !g.Nodes[last].External {
			g.Nodes[i].FedBy = g.Nodes[last].ID
		}
	}
	if g.checkShape() != nil { // contradictory sightings: keep the nodes, let people draw
		g.Edges = nil
		for i := range g.Nodes {
			g.Nodes[i].FedBy = ""
		}
	}
	return g
}

func implied(before [][]bool, i, k int) bool {
	for x := range before {
		if before[i][x] && before[x][k] {
			return true
		}
	}
	return false
}

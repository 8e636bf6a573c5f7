package scene

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/profile"
)

// leaf tells whether an external edge stands for itself: nothing runs within it,
// so its own profile says what it takes.
func (g *Graph) leaf(i int) bool {
	for k := range g.Nodes {
		if g.Nodes[k].Within == g.Nodes[i].ID {
			return false
		}
	}
	return true
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// shape gives the graph in allocation's form; points holds, for each node, its
// point there or allocation.None.
func (g *Graph) shape(points []int) allocation.Graph {
	out := allocation.Graph{}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		out.Nodes = append(out.Nodes, allocation.Node{
			Name: n.Place.String(), Point: points[i], Call: n.External, Parent: g.Node(n.Within),
			Network: ms(n.Network), Retries: n.Retries,
		})
		if n.Within == "" {
			out.Nodes[i].Parent = allocation.None
		}
	}
	for _, e := range g.Edges {
		out.Edges = append(out.Edges, allocation.Edge{From: g.Node(e.From), To: g.Node(e.To)})
	}
	return out
}

// checkShape lets allocation look for circles, with each point at one level.
func (g *Graph) checkShape() gear.Problems {
	in := &allocation.Input{Classes: []allocation.Class{{Name: "all", Share: 1}}, From: 1, To: 1}
	at := make([]int, len(g.Nodes))
	for i := range g.Nodes {
		if at[i] = allocation.None; !g.Nodes[i].External {
			at[i] = len(in.Points)
			in.Points = append(in.Points, allocation.Point{
				Name: g.Nodes[i].Place.String(), Feeder: allocation.None,
				Levels: []allocation.Level{{RT: []allocation.Dist{allocation.Fixed(1)}, Cap: 1, Output: 1}},
			})
		}
	}
	for i := range g.Nodes {
		if f := g.Node(g.Nodes[i].FedBy); g.Nodes[i].FedBy != "" && f >= 0 && at[i] != allocation.None && at[f] != allocation.None {
			in.Points[at[i]].Feeder = at[f]
		}
	}
	if len(in.Points) == 0 {
		return nil
	}
	in.Graph = g.shape(at)
	return in.Check()
}

// Missing is a point whose profile a table lacks.
type Missing struct {
	Node   string
	Place  Place
	Reason string
}

// Profiles finds the profile that serves a place; nil when there is none.
type Profiles func(Place) *profile.Profile

// Levels tells what is in force at a place; the zero Level where nothing is.
type Levels func(Place) Level

// Input makes an allocation's input of the scene. Missing lists points without a
// usable profile: without them there is no table. An external edge with nothing
// within and no profile counts with its network alone.
func (s *Spec) Input(profiles Profiles, levels Levels) (*allocation.Input, []Missing, gear.Problems) {
	in := &allocation.Input{Statistic: allocation.Statistic{Q: s.Statistic.Quantile}, Limit: ms(s.Timeout)}
	in.From, in.To = s.Range()
	g := &s.Graph
	var missing []Missing
	found := make([]*profile.Profile, len(g.Nodes))
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if n.External && !g.leaf(i) {
			continue
		}
		if found[i] = profiles(n.Place); found[i] == nil {
			if !n.External {
				missing = append(missing, Missing{n.ID, n.Place, "it has no profile: upload one, or wait until one is learnt"})
			}
			continue
		}
		if c := found[i].Classes; len(c) > len(in.Classes) {
			in.Classes = c
		}
	}
	at := make([]int, len(g.Nodes))
	for i := range g.Nodes {
		at[i] = allocation.None
		if found[i] == nil {
			continue
		}
		p, bad := found[i].AsPoint(in.Classes)
		if len(bad) > 0 {
			missing = append(missing, Missing{g.Nodes[i].ID, g.Nodes[i].Place, bad[0].Message})
			continue
		}
		if levels != nil {
			x := levels(g.Nodes[i].Place)
			p.Min, p.Max, p.Crowds = x.Min, x.Max, x.Crowds
			if p.Max > len(p.Levels) || p.Min > len(p.Levels) {
				missing = append(missing, Missing{
					g.Nodes[i].ID, g.Nodes[i].Place,
					fmt.Sprintf("its profile has %d levels and its template allows %d..%d", len(p.Levels), p.Min, p.Max),
				})
				continue
			}
		}
		at[i] = len(in.Points)
		in.Points = append(in.Points, p)
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.FedBy != "" && at[i] != allocation.None {
			if f := at[g.Node(n.FedBy)]; f != allocation.None {
				in.Points[at[i]].Feeder = f
			}
		}
	}
	in.Graph = g.shape(at)
	if len(missing) > 0 {
		return nil, missing, nil
	}
	for i := range in.Points { // a point that tells no caps takes whatever comes
		p := &in.Points[i]
		if f := p.Feeder; f != allocation.None && (p.Levels[0].Cap == 0 || in.Points[f].Levels[0].Output == 0) {
			p.Feeder = allocation.None
		}
	}
	return in, nil, in.Check()
}

package lab

import "github.com/allspark/allspark/server/scene"

// Graph draws what a request of a model passes, from the model's own steps.
func Graph(m *Model) scene.Graph {
	d := drawing{model: m}
	d.app(0, "", nil)
	return d.graph
}

type drawing struct {
	model *Model
	graph scene.Graph
}

// node adds a node behind all of before.
func (d *drawing) node(n scene.Node, before []string) string {
	n.ID = n.Place.String()
	d.graph.Nodes = append(d.graph.Nodes, n)
	for _, b := range before {
		d.graph.Edges = append(d.graph.Edges, scene.Edge{From: b, To: n.ID})
	}
	return n.ID
}

// app draws a call to an app within an external edge, behind what ended before, and
// gives the nodes that it ends with.
func (d *drawing) app(app int, within string, before []string) []string {
	a := &d.model.Apps[app]
	for _, s := range a.Steps {
		if s.Point >= 0 {
			if s.Point == a.Span {
				continue
			}
			p := &d.model.Points[s.Point]
			n := scene.Node{Place: scene.Place{App: a.Name, Point: p.Name}, Within: within}
			if p.Above >= 0 && p.Multiply == 0 {
				above := &d.model.Points[p.Above]
				n.FedBy = scene.Place{App: d.model.Apps[above.App].Name, Point: above.Name}.String()
			}
			before = []string{d.node(n, before)}
			continue
		}
		var ends []string
		for _, e := range s.Calls {
			if e.Point < 0 {
				ends = append(ends, d.app(e.App, within, before)...)
				continue
			}
			call := d.node(scene.Node{Place: scene.Place{App: a.Name, Point: d.model.Points[e.Point].Name}, External: true, Within: within, Network: network}, before)
			d.app(e.App, call, nil)
			ends = append(ends, call)
		}
		if len(ends) > 0 {
			before = ends
		}
	}
	return before
}

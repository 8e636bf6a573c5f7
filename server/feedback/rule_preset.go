package feedback

import (
	"math"
	"time"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/scene"
)

// Share is what one place of a scene gets of its time.
type Share struct {
	Place       scene.Place
	Call        bool          // an external edge: Timeout counts, else Level and AvailableRT
	Level       int           // cap of crowds, exact elsewhere; 0: not said
	AvailableRT time.Duration // mean
	Timeout     time.Duration // of one attempt
	Layer       int           // of Layers: whose scale it moves with
}

// Layer is what one caller waits for.
type Layer struct {
	Call  string      // ID of the external edge; "" is the front end
	Place scene.Place // of the edge
	Above int         // the layer that the edge itself belongs to
}

// Layers lists the layers of a graph, callers before what they call, and the
// layer of each node.
func Layers(g *scene.Graph) (layers []Layer, of []int) {
	layers = []Layer{{Above: allocation.None}}
	of = make([]int, len(g.Nodes))
	index := map[string]int{"": 0}
	for range g.Nodes { // calls within calls settle by depth
		for i := range g.Nodes {
			n := &g.Nodes[i]
			at, known := index[n.Within]
			if !known {
				continue
			}
			of[i] = at
			if _, done := index[n.ID]; n.External && !done {
				index[n.ID] = len(layers)
				layers = append(layers, Layer{Call: n.ID, Place: n.Place, Above: at})
			}
		}
	}
	return layers, of
}

// Preset reads a table's row: what every place gets when the scene has index ms,
// each layer's share scaled besides. A layer's scale moves what is directly and
// indirectly below it; the front end's is in the index already. clamped tells that
// the table does not reach that far and gave its nearest row.
func Preset(t *allocation.Table, g *scene.Graph, index float64, scale []float64) (shares []Share, row allocation.Row, clamped bool) {
	row, clamped = t.Row(int(math.Round(index)))
	if len(row.Points) == 0 && len(row.Timeouts) == 0 {
		return nil, row, true
	}
	layers, of := Layers(g)
	total := make([]float64, len(layers))
	for i := range layers {
		total[i] = 1
		if i > 0 {
			total[i] = total[layers[i].Above]
			if i < len(scale) && scale[i] > 0 {
				total[i] *= scale[i]
			}
		}
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		s := Share{Place: n.Place, Call: n.External, Layer: of[i]}
		if n.External {
			k := t.Call(n.Place.String())
			if k == allocation.None || k >= len(row.Timeouts) {
				continue
			}
			s.Timeout = setpoint(row.Timeouts[k] * total[of[i]])
			if s.Timeout > 0 {
				shares = append(shares, s)
			}
			continue
		}
		k := t.Point(n.Place.String())
		if k == allocation.None {
			continue
		}
		p := &row.Points[k]
		s.Level, s.AvailableRT = p.Level, setpoint(p.Setpoint*total[of[i]])
		if total[of[i]] != 1 { // a level has no scale: it is looked up where the scale leads
			if x, _ := t.Row(int(math.Round(index * total[of[i]]))); k < len(x.Points) {
				s.Level = x.Points[k].Level
			}
		}
		shares = append(shares, s)
	}
	return shares, row, clamped
}

// CapOf is the level that caps a point's crowds while a scene is regulated: its row's,
// under a preset and under feedback alike, so that a hand-over moves nothing, and
// never above the level that the template has by itself (own; 0 where nobody knows,
// then the highest that it allows). Without the cap light crowds rise until they too
// reach the setpoint, which is the row's for the heavy: of a chain's windows 65 instead
// of 96 % stayed within 5 %, at three times the cut work and no more value.
func CapOf(level, own, lowest, highest int) int {
	if own > 0 {
		highest = min(highest, max(own, lowest))
	}
	return min(max(level, lowest), highest)
}

// setpoint rounds ms to tenths, never below the least that a claim may say.
func setpoint(ms float64) time.Duration {
	if !(ms > 0) || math.IsInf(ms, 0) {
		return 0
	}
	return max(time.Duration(math.Round(ms*10))*(time.Millisecond/10), time.Millisecond)
}

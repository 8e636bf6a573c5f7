package meter

import (
	"sync"

	"github.com/allspark/allspark/proto/gear"
)

// Meter owns the cells of an agent.
type Meter struct {
	mu    sync.Mutex
	cells map[key]*Cell
	order []key // of creation, so that reports are stable
}

type key struct{ scene, point string }

// New makes an empty meter.
func New() *Meter { return &Meter{cells: map[key]*Cell{}} }

// Cell gives the cell of a scene and point, the same one every time.
func (m *Meter) Cell(scene, point string) *Cell {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := key{scene, point}
	c := m.cells[k]
	if c == nil {
		c = new(Cell)
		m.cells[k] = c
		m.order = append(m.order, k)
	}
	return c
}

// Drain takes what was counted since the last Drain, without the cells that saw
// nothing. A request recorded meanwhile is in this drain or in the next; its RT
// may be in the other one's sketch.
func (m *Meter) Drain() []gear.PointReport {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []gear.PointReport
	for _, k := range m.order {
		if r, ok := m.cells[k].drain(); ok {
			r.Scene, r.Point = k.scene, k.point
			out = append(out, r)
		}
	}
	return out
}

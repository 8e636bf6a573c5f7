package lab

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// maxParams bounds the parameters of a point, maxPoints the points of a model.
const (
	maxParams = 4
	maxPoints = 16
)

// Discipline is how a machine shares its cores.
type Discipline uint8

// The disciplines.
const (
	Sharing Discipline = iota // processor sharing: a thread a call
	FIFO                      // a queue in front of the cores: a pool of workers
)

// Model is an engine: what it is made of, not what happens in it. It is immutable
// once an [Engine] runs on it.
type Model struct {
	IDCs     []string
	Apps     []App
	Points   []Point
	Scenes   []Scene
	Machines int     // of each app in each IDC
	Noise    float64 // standard deviation of ln(demand) at known load and work
}

// App is one deployable of the engine.
type App struct {
	Name  string
	Cores int
	Queue Discipline
	Limit int // calls a machine holds at once
	Span  int // point that measures a whole call, -1 when none
	Steps []Step
}

// Step is one thing a call does: own work at a point, or calls side by side.
type Step struct {
	Point int // -1 when the step calls
	Calls []Edge
}

// Edge is a call to another app. With a Point it is an external edge of the
// caller: the point's first parameter is the timeout, and the answer is optional.
type Edge struct {
	App   int
	Point int // -1 when the call has no timeout of its own
}

// Point is a place where work can be turned up and down. Its first parameter is
// the amount of work; the second, if it has one, an enum that picks a factor.
type Point struct {
	Name     string
	App      int
	External bool
	Params   []gear.Param

	Fixed, PerLoad, Slope, IO time.Duration

	Above    int       // point whose output bounds the amount, -1 when none
	Multiply float64   // > 0: the amount is multiplied by output above / Multiply instead of bounded
	Output   float64   // results handed on for each unit of the amount
	Factor   []float64 // cost of each enum value
	Quality  []float64 // worth of each enum value

	Weight, Scale float64 // value: share of a full answer, and the work that earns 63 % of what endless work would
}

// Scene is a kind of traffic.
type Scene struct {
	Name    string
	Share   float64 // of all requests
	First   float64 // share of the scene's requests that go to the first IDC
	Load    float64 // how much more it asks than the average scene
	Timeout time.Duration
}

// Point finds a point by app and name, -1 when the model has none.
func (m *Model) Point(app, name string) int {
	for i := range m.Points {
		if m.Points[i].Name == name && m.Apps[m.Points[i].App].Name == app {
			return i
		}
	}
	return -1
}

// MachineCount is how many machines the model has in all.
func (m *Model) MachineCount() int { return len(m.IDCs) * len(m.Apps) * m.Machines }

// Place tells which app and IDC a machine belongs to, and its number there.
func (m *Model) Place(machine int) (app, idc, number int) {
	return machine / m.Machines % len(m.Apps), machine / m.Machines / len(m.Apps), machine % m.Machines
}

// Defaults reads what the apps declare: the reading of a point without orders.
func (m *Model) Defaults(point int) Reading {
	var r Reading
	for i := range m.Points[point].Params {
		p := &m.Points[point].Params[i]
		r[i] = number(p, p.Default)
	}
	return r
}

// number is a value as the model reads it: an enum is its place in the list.
func number(p *gear.Param, v gear.Value) float64 {
	if n, ok := v.Number(); ok {
		return n
	}
	for i, s := range p.Values {
		if s == v.Str() {
			return float64(i)
		}
	}
	return 0
}

// check panics on a model that cannot run: models are constants of the program.
func (m *Model) check() {
	if len(m.Points) > maxPoints || m.Machines < 1 || len(m.IDCs) == 0 || len(m.Scenes) == 0 {
		panic("lab: a model needs IDCs, scenes, machines and at most 16 points")
	}
	for i := range m.Points {
		if p := &m.Points[i]; len(p.Params) > maxParams || p.Above >= i {
			panic(fmt.Sprintf("lab: point %s has too many parameters or comes before the one above it", p.Name))
		}
	}
	for i := range m.Apps {
		if m.Apps[i].Cores < 1 || m.Apps[i].Limit < 1 {
			panic("lab: app " + m.Apps[i].Name + " needs cores and a limit")
		}
		for _, s := range m.Apps[i].Steps {
			for _, e := range s.Calls {
				if e.App <= i {
					panic("lab: apps call apps below them only")
				}
			}
		}
	}
}

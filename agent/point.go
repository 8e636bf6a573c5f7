package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/agent/trace"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// Scene is a kind of traffic, interned. The zero Scene is "*".
type Scene struct{ id int }

// Scene interns a scene. For one that is known already it takes no lock and
// allocates nothing, so it may be called with the scene of each request; handles
// are faster still. A malformed name, and any past the first 1,024, is "*".
func (a *Agent) Scene(name string) Scene { return Scene{a.box.Scene(name)} }

// Point is a control point: a place in the app where work per request can be
// turned up or down.
type Point struct {
	agent *Agent
	box   *gearbox.Box
	id    int
	name  string

	external bool
}

// Name is the point's name.
func (p *Point) Name() string { return p.name }

// Follow notes that a request came to the point, or at an External that a call is
// about to be made, and gives the context in which its work runs; End of the span
// notes that it is over. Agents count for a few requests a second what comes after
// what, and controllers draft the graph of a scene from that: see package trace.
// Middleware does all of it by itself.
func (p *Point) Follow(ctx context.Context, scene Scene) (context.Context, *trace.Span) {
	return p.agent.traces.Begin(ctx, scene.id, p.name, p.external)
}

// Point declares a control point, or finds the one of that name. Names are
// letters, digits, dots, dashes and underscores.
func (a *Agent) Point(name string) *Point {
	a.mu.Lock()
	p := a.points[name]
	if p != nil {
		a.mu.Unlock()
		return p
	}
	if a.external[name] != nil {
		a.conflict(name, "is an external call already")
		p = &a.external[name].Point
	} else {
		p = a.declare(name, false)
		a.points[name] = p
	}
	a.mu.Unlock()
	a.changed()
	return p
}

// External is a call edge to another service, owned by this app: what is turned
// up or down is the timeout this app grants the call. It has parameters like any
// other point.
type External struct{ Point }

// External declares a call edge, or finds the one of that name. Its timeout is
// one second until Default says otherwise.
func (a *Agent) External(name string) *External {
	a.mu.Lock()
	e := a.external[name]
	if e != nil {
		a.mu.Unlock()
		return e
	}
	if a.points[name] != nil {
		a.conflict(name, "is a point that is no external call already")
		e = &External{*a.points[name]}
	} else {
		e = &External{*a.declare(name, true)}
		a.external[name] = e
	}
	a.mu.Unlock()
	a.changed()
	return e
}

const defaultTimeout = time.Second

func (a *Agent) declare(name string, external bool) *Point {
	decl := gearbox.Point{PointDecl: gear.PointDecl{Name: name, External: external}}
	if external {
		decl.Timeout.Default = defaultTimeout
	}
	return &Point{agent: a, box: a.box, id: a.box.Declare(decl), name: name, external: external}
}

// conflict notes that two declarations contradict each other. a.mu is held.
func (a *Agent) conflict(path, what string) {
	a.problems.Add("points."+path, gear.CodeDuplicate, gear.Shown(path)+" "+what)
}

// Default sets the timeout without orders.
func (e *External) Default(timeout time.Duration) *External {
	if timeout <= 0 {
		e.problem(gear.CodeRange, fmt.Sprintf("the timeout of %s must be above 0, got %s", gear.Shown(e.name), timeout))
		return e
	}
	e.box.Redeclare(e.id, func(p *gearbox.Point) { p.Timeout.Default = timeout })
	return e
}

// Range bounds the timeout; orders outside it are refused.
func (e *External) Range(lo, hi time.Duration) *External {
	if lo < 0 || hi < lo {
		e.problem(gear.CodeRange, fmt.Sprintf("the timeout of %s has the range %s..%s", gear.Shown(e.name), lo, hi))
		return e
	}
	e.box.Redeclare(e.id, func(p *gearbox.Point) { p.Timeout.Min, p.Timeout.Max = lo, hi })
	return e
}

func (p *Point) problem(code, message string) {
	p.agent.mu.Lock()
	defer p.agent.mu.Unlock()
	p.agent.problems.Add("points."+p.name, code, message)
}

// checkPoint finds what is wrong with a declaration.
func checkPoint(p *gear.PointDecl) gear.Problems {
	var out gear.Problems
	at := "points." + gear.Shown(p.Name)
	if !gear.PlaceName(p.Name) {
		out.Add(at, gear.CodeName, fmt.Sprintf("%q is not a name of a point: letters, digits, . _ -, at most %d bytes", gear.Shown(p.Name), gear.MaxName))
	}
	if n := len(p.Params); n > min(wire.MaxParams, gear.MaxParams) {
		out.Add(at, gear.CodeLength, fmt.Sprintf("a point has at most %d parameters, got %d", gear.MaxParams, n))
	}
	for i := range p.Params {
		d := &p.Params[i]
		below := at + "." + gear.Shown(d.Name)
		out = append(out, d.CheckDecl().Under(below)...)
		if d.Default.IsZero() {
			out.Add(below+".default", gear.CodeRequired, gear.Shown(d.Name)+" needs a default: it answers while there is no order")
		}
	}
	return out
}

// checkSize finds declarations that are too large together: a controller reads no
// hello that tells of all of them.
func checkSize(points []gear.PointDecl) gear.Problems {
	var out gear.Problems
	if n := len(points); n > wire.MaxPoints {
		out.Add("points", gear.CodeLength, fmt.Sprintf("an app has at most %d points, got %d", wire.MaxPoints, n))
	}
	total, largest, worst := 0, 0, 0
	for i := range points {
		size := wire.PointSize(&points[i])
		if total += size; size > largest {
			largest, worst = size, i
		}
	}
	if total <= wire.MaxDeclared {
		return out
	}
	p := &points[worst]
	at, most, param := "points."+gear.Shown(p.Name), 0, ""
	for i := range p.Params {
		d := &p.Params[i]
		if size := wire.PointSize(&gear.PointDecl{Params: p.Params[i : i+1]}); size > most {
			most, param = size, gear.Shown(d.Name)
		}
	}
	message := fmt.Sprintf("the declarations take %d bytes, and a controller hears of at most %d: %s takes most of them, %d", total, wire.MaxDeclared, gear.Shown(p.Name), largest)
	if param != "" {
		message += fmt.Sprintf(", of which its parameter %s %d", param, most)
	}
	out.Add(at, gear.CodeLength, message)
	return out
}

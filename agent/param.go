package agent

import (
	"fmt"
	"math"
	"time"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/proto/gear"
)

// Monotonic hints how a value moves as the level rises.
type Monotonic = gear.Monotonic

// The monotonic hints.
const (
	Rising  = gear.MonotonicUp   // never falls as the level rises
	Falling = gear.MonotonicDown // never rises as the level rises
)

// handle is where a parameter's value lies in every row of its point.
type handle struct {
	box   *gearbox.Box
	point int
	slot  int
}

// param declares a parameter, or finds the one of that name and kind.
func (p *Point) param(name string, kind gear.Kind, values []string) handle {
	slot, clash := -1, ""
	p.box.Redeclare(p.id, func(d *gearbox.Point) {
		for i := range d.Params {
			if d.Params[i].Name == name {
				if slot = i; d.Params[i].Kind != kind {
					clash = fmt.Sprintf("%s is declared as %s and as %s", gear.Shown(name), d.Params[i].Kind, kind)
					slot = math.MaxInt // reads give the zero value
				}
				return
			}
		}
		slot = len(d.Params)
		d.Params = append(d.Params, gear.Param{Name: name, Kind: kind, Values: values})
	})
	if clash != "" {
		p.problem(gear.CodeDuplicate, clash)
	}
	p.agent.changed()
	return handle{p.box, p.id, slot}
}

// change edits the declaration.
func (h handle) change(f func(*gear.Param)) {
	h.box.Redeclare(h.point, func(p *gearbox.Point) {
		if h.slot < len(p.Params) {
			f(&p.Params[h.slot])
		}
	})
}

// bits reads a number. Only a reader of another point, or one declared after the
// Decision began, takes the second way.
func (h *handle) bits(d *Decision) uint64 {
	if r := d.row; r != nil && r.Point == h.point && h.slot < len(r.Nums) {
		return r.Nums[h.slot]
	}
	return h.bitsNow()
}

func (h *handle) text(d *Decision) string {
	if r := d.row; r != nil && r.Point == h.point && h.slot < len(r.Texts) {
		return r.Texts[h.slot]
	}
	return h.textNow()
}

//go:noinline
func (h *handle) bitsNow() uint64 {
	if r := h.box.Load().Default(h.point); h.slot < len(r.Nums) {
		return r.Nums[h.slot]
	}
	return 0
}

//go:noinline
func (h *handle) textNow() string {
	if r := h.box.Load().Default(h.point); h.slot < len(r.Texts) {
		return r.Texts[h.slot]
	}
	return ""
}

// IntParam reads an int parameter of its point.
type IntParam struct{ handle }

// Int declares an int parameter.
func (p *Point) Int(name string) *IntParam { return &IntParam{p.param(name, gear.KindInt, nil)} }

// Get reads the value a request got.
func (p *IntParam) Get(d *Decision) int64 { return int64(p.bits(d)) }

// Default sets the value without orders. Every parameter needs one.
func (p *IntParam) Default(v int64) *IntParam {
	p.change(func(d *gear.Param) { d.Default = gear.Int(v) })
	return p
}

// Range sets the least and greatest value; orders outside it are refused.
func (p *IntParam) Range(lo, hi int64) *IntParam {
	p.change(func(d *gear.Param) { d.Min, d.Max = gear.Int(lo), gear.Int(hi) })
	return p
}

// Step makes values lie on lo + k·step.
func (p *IntParam) Step(step int64) *IntParam {
	p.change(func(d *gear.Param) { d.Step = gear.Int(step) })
	return p
}

// Unit names the unit, for people.
func (p *IntParam) Unit(unit string) *IntParam {
	p.change(func(d *gear.Param) { d.Unit = unit })
	return p
}

// Monotonic hints how the value moves as the level rises.
func (p *IntParam) Monotonic(m Monotonic) *IntParam {
	p.change(func(d *gear.Param) { d.Monotonic = m })
	return p
}

// FloatParam reads a float parameter of its point.
type FloatParam struct{ handle }

// Float declares a float parameter.
func (p *Point) Float(name string) *FloatParam {
	return &FloatParam{p.param(name, gear.KindFloat, nil)}
}

// Get reads the value a request got.
func (p *FloatParam) Get(d *Decision) float64 { return math.Float64frombits(p.bits(d)) }

// Default sets the value without orders. Every parameter needs one.
func (p *FloatParam) Default(v float64) *FloatParam {
	p.change(func(d *gear.Param) { d.Default = gear.Float(v) })
	return p
}

// Range sets the least and greatest value; orders outside it are refused.
func (p *FloatParam) Range(lo, hi float64) *FloatParam {
	p.change(func(d *gear.Param) { d.Min, d.Max = gear.Float(lo), gear.Float(hi) })
	return p
}

// Step makes values lie on lo + k·step.
func (p *FloatParam) Step(step float64) *FloatParam {
	p.change(func(d *gear.Param) { d.Step = gear.Float(step) })
	return p
}

// Unit names the unit, for people.
func (p *FloatParam) Unit(unit string) *FloatParam {
	p.change(func(d *gear.Param) { d.Unit = unit })
	return p
}

// Monotonic hints how the value moves as the level rises.
func (p *FloatParam) Monotonic(m Monotonic) *FloatParam {
	p.change(func(d *gear.Param) { d.Monotonic = m })
	return p
}

// DurationParam reads a duration parameter of its point.
type DurationParam struct{ handle }

// Duration declares a duration parameter.
func (p *Point) Duration(name string) *DurationParam {
	return &DurationParam{p.param(name, gear.KindDuration, nil)}
}

// Get reads the value a request got.
func (p *DurationParam) Get(d *Decision) time.Duration { return time.Duration(p.bits(d)) }

// Default sets the value without orders. Every parameter needs one.
func (p *DurationParam) Default(v time.Duration) *DurationParam {
	p.change(func(d *gear.Param) { d.Default = gear.Duration(v) })
	return p
}

// Range sets the least and greatest value; orders outside it are refused.
func (p *DurationParam) Range(lo, hi time.Duration) *DurationParam {
	p.change(func(d *gear.Param) { d.Min, d.Max = gear.Duration(lo), gear.Duration(hi) })
	return p
}

// Step makes values lie on lo + k·step.
func (p *DurationParam) Step(step time.Duration) *DurationParam {
	p.change(func(d *gear.Param) { d.Step = gear.Duration(step) })
	return p
}

// Monotonic hints how the value moves as the level rises.
func (p *DurationParam) Monotonic(m Monotonic) *DurationParam {
	p.change(func(d *gear.Param) { d.Monotonic = m })
	return p
}

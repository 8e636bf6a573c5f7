package agent

import "github.com/allspark/allspark/proto/gear"

// BoolParam reads a bool parameter of its point.
type BoolParam struct{ handle }

// Bool declares a bool parameter; its default is false until Default says
// otherwise.
func (p *Point) Bool(name string) *BoolParam {
	b := &BoolParam{p.param(name, gear.KindBool, nil)}
	b.change(func(d *gear.Param) {
		if d.Default.IsZero() {
			d.Default = gear.Bool(false)
		}
	})
	return b
}

// Get reads the value a request got.
func (p *BoolParam) Get(d *Decision) bool { return p.bits(d) == 1 }

// Default sets the value without orders.
func (p *BoolParam) Default(v bool) *BoolParam {
	p.change(func(d *gear.Param) { d.Default = gear.Bool(v) })
	return p
}

// StringParam reads a string parameter of its point.
type StringParam struct{ handle }

// String declares a string parameter.
func (p *Point) String(name string) *StringParam {
	return &StringParam{p.param(name, gear.KindString, nil)}
}

// Get reads the value a request got.
func (p *StringParam) Get(d *Decision) string { return p.text(d) }

// Default sets the value without orders. Every parameter needs one.
func (p *StringParam) Default(v string) *StringParam {
	p.change(func(d *gear.Param) { d.Default = gear.String(v) })
	return p
}

// EnumParam reads an enum parameter of its point.
type EnumParam struct{ handle }

// Enum declares a parameter that is one of the values; orders with another are
// refused.
func (p *Point) Enum(name string, values ...string) *EnumParam {
	return &EnumParam{p.param(name, gear.KindEnum, values)}
}

// Get reads the value a request got.
func (p *EnumParam) Get(d *Decision) string { return p.text(d) }

// Default sets the value without orders. Every parameter needs one.
func (p *EnumParam) Default(v string) *EnumParam {
	p.change(func(d *gear.Param) { d.Default = gear.Enum(v) })
	return p
}

package wire

import (
	"fmt"
	"math"
	"time"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

// FromValue makes the message of v, nil for the zero Value.
func FromValue(v gear.Value) *agentv1.Value {
	switch v.Kind() {
	case gear.KindInt:
		return &agentv1.Value{Value: &agentv1.Value_Int{Int: v.Int()}}
	case gear.KindFloat:
		return &agentv1.Value{Value: &agentv1.Value_Float{Float: v.Float()}}
	case gear.KindBool:
		return &agentv1.Value{Value: &agentv1.Value_Bool{Bool: v.Bool()}}
	case gear.KindString:
		return &agentv1.Value{Value: &agentv1.Value_String_{String_: clean(v.Str())}}
	case gear.KindEnum:
		return &agentv1.Value{Value: &agentv1.Value_Enum{Enum: clean(v.Str())}}
	case gear.KindDuration:
		return &agentv1.Value{Value: &agentv1.Value_DurationNs{DurationNs: int64(v.Duration())}}
	default:
		return nil
	}
}

// ToValue reads a value; a nil message or one of an unknown kind is the zero
// Value. NaN and infinities are Problems.
func ToValue(p *agentv1.Value, path string) (gear.Value, gear.Problems) {
	var c checker
	v := c.value(path, p)
	return v, c.problems
}

func (c *checker) value(path string, p *agentv1.Value) gear.Value {
	switch x := p.GetValue().(type) {
	case *agentv1.Value_Int:
		return gear.Int(x.Int)
	case *agentv1.Value_Float:
		return gear.Float(c.finite(path, x.Float))
	case *agentv1.Value_Bool:
		return gear.Bool(x.Bool)
	case *agentv1.Value_String_:
		return gear.String(c.text(path, x.String_))
	case *agentv1.Value_Enum:
		return gear.Enum(c.name(path, x.Enum))
	case *agentv1.Value_DurationNs:
		return gear.Duration(time.Duration(x.DurationNs))
	default:
		return gear.Value{}
	}
}

func kind(k uint32) gear.Kind { return gear.Kind(min(k, math.MaxUint8)) }

func fromParams(in []gear.Param) []*agentv1.Param {
	if len(in) == 0 {
		return nil
	}
	out := make([]*agentv1.Param, len(in))
	for i := range in {
		p := &in[i]
		out[i] = &agentv1.Param{
			Name: clean(p.Name), Kind: uint32(p.Kind), Unit: clean(p.Unit),
			Min: FromValue(p.Min), Max: FromValue(p.Max), Step: FromValue(p.Step),
			Values: cleanAll(p.Values), Default: FromValue(p.Default), Monotonic: uint32(p.Monotonic),
		}
	}
	return out
}

func (c *checker) params(path string, in []*agentv1.Param) []gear.Param {
	if len(in) == 0 || !c.size(path, len(in), MaxParams, "parameters") {
		return nil
	}
	out := make([]gear.Param, len(in))
	for i, p := range in {
		here := at(path, i)
		out[i] = gear.Param{
			Name: c.name(here+".name", p.GetName()), Kind: kind(p.GetKind()), Unit: c.name(here+".unit", p.GetUnit()),
			Min: c.value(here+".min", p.GetMin()), Max: c.value(here+".max", p.GetMax()), Step: c.value(here+".step", p.GetStep()),
			Default: c.value(here+".default", p.GetDefault()),
		}
		if m := p.GetMonotonic(); m <= uint32(gear.MonotonicDown) {
			out[i].Monotonic = gear.Monotonic(m)
		}
		out[i].Values = c.names(here+".values", p.GetValues(), MaxEnum, "values")
	}
	return out
}

func (c *checker) names(path string, in []string, limit int, what string) []string {
	if len(in) == 0 || !c.size(path, len(in), limit, what) {
		return nil
	}
	for i, s := range in {
		if len(s) > MaxName {
			c.name(fmt.Sprintf("%s[%d]", path, i), s)
			return nil
		}
	}
	return in
}

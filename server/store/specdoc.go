package store

import (
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

type paramDoc struct {
	Name          string         `json:"name"`
	Type          string         `json:"type"`
	Unit          string         `json:"unit,omitempty"`
	Min           valueDoc       `json:"min,omitzero"`
	Max           valueDoc       `json:"max,omitzero"`
	Step          valueDoc       `json:"step,omitzero"`
	Values        []string       `json:"values,omitempty"`
	Default       valueDoc       `json:"default,omitzero"`
	Monotonic     gear.Monotonic `json:"monotonic,omitempty"`
	Interpolation string         `json:"interpolate,omitempty"`
	Cost          bool           `json:"cost,omitempty"`
}

func toParamDoc(p gear.Param) paramDoc {
	return paramDoc{
		Name: p.Name, Type: p.Kind.String(), Unit: p.Unit, Min: valueDoc(p.Min), Max: valueDoc(p.Max),
		Step: valueDoc(p.Step), Values: p.Values, Default: valueDoc(p.Default), Monotonic: p.Monotonic,
	}
}

func (d paramDoc) param() gear.Param {
	kind, _ := gear.ParseKind(d.Type)
	return gear.Param{
		Name: d.Name, Kind: kind, Unit: d.Unit, Min: gear.Value(d.Min), Max: gear.Value(d.Max),
		Step: gear.Value(d.Step), Values: d.Values, Default: gear.Value(d.Default), Monotonic: d.Monotonic,
	}
}

type anchorDoc struct {
	Level int                 `json:"level"`
	Set   map[string]valueDoc `json:"set"`
}

type specDoc struct {
	Parameters []paramDoc          `json:"parameters"`
	Levels     int                 `json:"levels"`
	Default    int                 `json:"default"`
	Min        int                 `json:"min"`
	Max        int                 `json:"max"`
	Strategy   string              `json:"strategy"`
	Settings   map[string]valueDoc `json:"settings,omitempty"`
	Anchors    []anchorDoc         `json:"gears"`
}

func toSpecDoc(s *template.Spec) *specDoc {
	if s == nil {
		return nil
	}
	return &specDoc{
		Parameters: each(s.Parameters, func(p template.Parameter) paramDoc {
			d := toParamDoc(p.Param)
			d.Interpolation, d.Cost = string(p.Interpolation), p.Cost
			return d
		}),
		Levels: s.Levels, Default: s.Default, Min: s.Min, Max: s.Max,
		Strategy: string(s.Strategy.Kind), Settings: valueDocs(s.Strategy.Settings),
		Anchors: each(s.Anchors, func(a template.Anchor) anchorDoc {
			return anchorDoc{Level: a.Level, Set: valueDocs(a.Set)}
		}),
	}
}

func (d *specDoc) spec() *template.Spec {
	if d == nil {
		return nil
	}
	return &template.Spec{
		Parameters: each(d.Parameters, func(p paramDoc) template.Parameter {
			return template.Parameter{Param: p.param(), Interpolation: template.Interpolation(p.Interpolation), Cost: p.Cost}
		}),
		Levels: d.Levels, Default: d.Default, Min: d.Min, Max: d.Max,
		Strategy: template.Strategy{Kind: gear.Strategy(d.Strategy), Settings: values(d.Settings)},
		Anchors: each(d.Anchors, func(a anchorDoc) template.Anchor {
			return template.Anchor{Level: a.Level, Set: values(a.Set)}
		}),
	}
}

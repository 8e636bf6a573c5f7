package control

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// chooseTemplate resolves binding claims, then bindings.
func (r *round) chooseTemplate(place Scope, why *Why) (*template.Version, *gear.LevelTable) {
	c := muster(r.claims, FieldBinding, place)
	candidates := template.Candidates(r.bindings, place.place())
	own := ""
	if len(candidates) > 0 {
		b := candidates[0]
		own = fmt.Sprintf("binding %s of template %s", b.Selector, r.name(b.TemplateID))
	}
	if own == "" && len(c.claims) == 0 {
		return nil, nil
	}
	claim, field := c.choose(own, r.claimText, func(c *Claim) Verdict {
		if v, _ := r.version(c.Template, c.Pin); v == nil {
			return verdict(unpublished)
		}
		return Verdict{}
	})
	id, pin, name := "", 0, ""
	if claim != nil {
		id, pin, name = claim.Template, claim.Pin, r.name(claim.Template)
	} else if len(candidates) > 0 {
		why.Binding = candidates[0]
		id, pin, name = why.Binding.TemplateID, why.Binding.Pin, r.name(why.Binding.TemplateID)
	} else {
		why.Fields = append(why.Fields, field)
		return nil, nil
	}
	for _, b := range candidates {
		if b == why.Binding {
			continue
		}
		lost := verdict(claimAbove)
		if why.Binding != nil {
			lost = verdict(lessSpecific, b.Selector.Specificity(), 4, why.Binding.Selector.Specificity())
		} else if b == candidates[0] {
			continue // it is the template's own value in the contest
		}
		field.Considered = append(field.Considered, Considered{
			Source: SourceTemplate, Outcome: Lost, Reason: lost,
			Value: fmt.Sprintf("binding %s of template %s", b.Selector, r.name(b.TemplateID)),
		})
	}
	v, table := r.version(id, pin)
	if v == nil {
		r.notes = append(r.notes, fmt.Sprintf("%s is bound to template %s, which has no such published version", place, gear.Shown(name)))
		why.Fields = append(why.Fields, field)
		return nil, nil
	}
	field.Value = fmt.Sprintf("template %s version %d", name, v.Number)
	why.Template, why.TemplateVersion = name, v.Number
	why.Fields = append(why.Fields, field)
	return v, table
}

// name gives a template's name as orders and sentences show it. Bindings carry
// it, so that a replay of the basis words losers alike.
func (r *round) name(id string) string {
	for _, b := range r.bindings {
		if b.TemplateID == id && b.Template != "" {
			return b.Template
		}
	}
	if n := r.in.Names[id]; n != "" {
		return n
	}
	return id
}

// claimText is Claim.ValueText with the template's name where its version is known.
func (r *round) claimText(c *Claim) string {
	if c.Field == FieldBinding {
		if v, _ := r.version(c.Template, c.Pin); v != nil {
			named := *c
			named.Template = r.name(c.Template)
			return named.ValueText()
		}
	}
	return c.ValueText()
}

// version finds a version and its expanded table, and notes it for the basis.
func (r *round) version(id string, pin int) (*template.Version, *gear.LevelTable) {
	v := r.in.Versions[id][pin]
	if v == nil {
		return nil, nil
	}
	key := tableKey{id, v.Number}
	t := r.decider.tables[key]
	if t == nil {
		var err error
		if t, err = template.Expand(&v.Spec); err != nil {
			r.notes = append(r.notes, fmt.Sprintf("template %s version %d cannot be expanded: %v", gear.Shown(id), v.Number, err))
			return nil, nil
		}
		r.decider.tables[key] = t
	}
	r.versions[VersionRef{TemplateID: id, Name: r.in.Names[id], Number: v.Number, Latest: pin == 0}] = true
	r.used[t.Hash] = t
	return v, t
}

func (r *round) chooseLevel(place Scope, s *template.Spec, o *gear.Order, why *Why) {
	c := muster(r.claims, FieldLevel, place)
	claim, field := c.choose("level "+strconv.Itoa(s.Default), r.claimText, anyFits)
	level := s.Default
	if claim != nil {
		level = claim.Level
		o.Pinned = claim.Source.pins()
	}
	level = lower(c, level, func(c *Claim) int { return c.Level }, &field)
	o.Level = min(max(level, s.Min), s.Max)
	if o.Level != level {
		field.Limited = fmt.Sprintf("the template holds levels in %d..%d, so %d becomes %d", s.Min, s.Max, level, o.Level)
	}
	field.Value = "level " + strconv.Itoa(o.Level)
	why.Fields = append(why.Fields, field)
}

// chooseSetpoint decides available_rt or timeout: 0 when neither the template
// nor a claim has one.
func (r *round) chooseSetpoint(place Scope, s *template.Spec, f Field, why *Why) time.Duration {
	c := muster(r.claims, f, place)
	own, text := s.Strategy.Settings[string(f)].Duration(), ""
	if own > 0 {
		text = string(f) + " " + gear.Duration(own).Format()
	}
	if text == "" && len(c.claims)+len(c.emergency) == 0 {
		return 0
	}
	claim, field := c.choose(text, r.claimText, anyFits)
	d := own
	if claim != nil {
		d = claim.Duration
	}
	if d > 0 {
		d = lower(c, d, func(c *Claim) time.Duration { return c.Duration }, &field)
	}
	lo, hi := MinSetpoint, MaxSetpoint
	if f == FieldTimeout && s.Strategy.Kind == gear.StrategyExternalTimeout {
		for _, x := range s.Settings() {
			switch x.Name {
			case gear.SettingMinTimeout:
				lo = x.Value.Duration()
			case gear.SettingMaxTimeout:
				hi = x.Value.Duration()
			}
		}
	}
	if held := min(max(d, lo), hi); d > 0 && held != d {
		field.Limited = fmt.Sprintf("%s is held in %s..%s, so %s becomes %s", f, gear.Duration(lo).Format(), gear.Duration(hi).Format(),
			gear.Duration(d).Format(), gear.Duration(held).Format())
		d = held
	}
	field.Value = string(f) + " none"
	if d > 0 {
		field.Value = string(f) + " " + gear.Duration(d).Format()
	}
	why.Fields = append(why.Fields, field)
	return d
}

// settings gives an order's settings; all orders of a version share the slice.
func (r *round) settings(v *template.Version, k gear.Strategy) []gear.Setting {
	key := settingsKey{tableKey{v.TemplateID, v.Number}, k}
	out, ok := r.decider.settings[key]
	if !ok {
		// The setpoints are fields of their own.
		out = slices.DeleteFunc(v.Spec.DefaultSettings(k), func(x gear.Setting) bool {
			return x.Name == gear.SettingAvailableRT || x.Name == gear.SettingTimeout
		})
		r.decider.settings[key] = out
	}
	return out
}

func (r *round) chooseStrategy(place Scope, v *template.Version, rt, timeout time.Duration, o *gear.Order, why *Why) {
	lacks := func(k gear.Strategy) Verdict {
		switch {
		case (k == gear.StrategyCrowdRT || k == gear.StrategyCentral) && rt == 0:
			return verdict(needsAvailableRT, k)
		case k == gear.StrategyExternalTimeout && timeout == 0:
			return verdict(needsTimeout, k)
		case gear.StrategyParams(k) == nil:
			return verdict(unknownStrategy)
		}
		return Verdict{}
	}
	c := muster(r.claims, FieldStrategy, place)
	claim, field := c.choose("strategy "+string(v.Spec.Strategy.Kind), r.claimText, func(c *Claim) Verdict { return lacks(c.Strategy) })
	o.Strategy = v.Spec.Strategy.Kind
	if claim != nil {
		o.Strategy = claim.Strategy
	}
	why.Fields = append(why.Fields, field)
	o.Settings = r.settings(v, o.Strategy)
	if o.Strategy == gear.StrategyCrowdRT || o.Strategy == gear.StrategyCentral {
		o.AvailableRT = rt
	}
	if o.Strategy == gear.StrategyExternalTimeout {
		o.Timeout = timeout
		// What is held here is the timeout, so that the agent's loop leaves it alone.
		x, ok := why.Field(FieldTimeout)
		o.Pinned = ok && x.Source.pins()
	}
}

// anyFits is for fields that every claim of theirs can take effect on.
func anyFits(*Claim) Verdict { return Verdict{} }

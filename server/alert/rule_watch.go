package alert

import (
	"cmp"
	"slices"
	"time"
)

// Watch remembers how every place was and says what is wrong. It knows no clock
// and no alert: every replica keeps one, so that whoever takes the lease over
// knows how things were before a fault. It is used from one goroutine.
type Watch struct{ places map[Place]*memory }

// NewWatch makes a watch that remembers nothing.
func NewWatch() *Watch { return &Watch{places: map[Place]*memory{}} }

// Step takes one look, about once a second, and gives what is wrong.
func (w *Watch) Step(o *Observation, rules Rules) []Sighting {
	var out []Sighting
	input := map[string][]shift{}
	here := map[Place]*view{}
	all := views(o)
	for i := range all {
		v := &all[i]
		here[v.place] = v
		m := w.places[v.place]
		if m == nil {
			m = newMemory()
			w.places[v.place] = m
		}
		m.seen = o.At
		m.noteBuilds(v, o.At)
		m.doubts.forget(o.At)
	}
	in := w.flows(all)
	for i := range all {
		v := &all[i]
		input[v.place.IDC] = append(input[v.place.IDC], shifts(v, w.places[v.place], in[v.place.IDC], rules[InputShift])...)
	}
	for i := range all {
		v, m := &all[i], w.places[all[i].place]
		moved := len(input[v.place.IDC]) > 0
		off := deviations(v)
		found := w.place(v, m, off, in[v.place.IDC], moved, rules, o)
		out = append(out, found...)
		switch trouble := len(found) > 0 || moved; {
		case trouble && m.troubled.IsZero():
			m.troubled = o.At
		case !trouble:
			m.troubled = time.Time{}
		}
		m.remember(v, off, o.At)
	}
	for p, m := range w.places {
		if here[p] != nil {
			continue
		}
		if m.silentPlace(o.At) {
			delete(w.places, p)
		} else if s := judgeSilent(p, nil, m, in[p.IDC]); s != nil {
			out = append(out, *s)
		}
	}
	out = withoutHungry(out)
	for idc, moved := range input {
		if s := judgeInput(idc, moved); s != nil {
			out = append(out, *s)
		}
	}
	out = append(out, judgeAgents(o.Agents, rules)...)
	out = append(out, judgeGroups(o.Groups, rules[QuotaFallback])...)
	out = append(out, judgeMissed(o.Missed)...)
	out = slices.DeleteFunc(out, func(s Sighting) bool { return !rules[s.Kind].Enabled })
	slices.SortFunc(out, func(a, b Sighting) int { return cmp.Compare(a.Fingerprint(), b.Fingerprint()) })
	return out
}

func (w *Watch) flows(all []view) map[string]flows {
	views, memories := map[string][]*view{}, map[string][]*memory{}
	for i := range all {
		idc := all[i].place.IDC
		views[idc], memories[idc] = append(views[idc], &all[i]), append(memories[idc], w.places[all[i].place])
	}
	out := map[string]flows{}
	for idc := range views {
		out[idc] = flowsOf(views[idc], memories[idc])
	}
	return out
}

// place judges one place. One fault is told under one name: what a new build or
// another input explains is not called slow machines besides, and a machine that
// is off from its peers leaves their median where it was.
func (w *Watch) place(v *view, m *memory, off []deviation, in flows, moved bool, rules Rules, o *Observation) (out []Sighting) {
	add := func(s *Sighting) bool {
		if s != nil {
			out = append(out, *s)
		}
		return s != nil
	}
	out = append(out, judgeMachines(v, m, off, rules[BadMachine], o.At)...)
	add(judgeSilent(v.place, v, m, in))
	released := add(judgeRelease(v, m, rules[BadRelease], o.At))
	switch {
	case add(judgeFloor(v)), add(judgeGone(v, m)):
	case released, moved, m.release != nil && o.At.Sub(m.release.at) < settle:
	default:
		add(judgeCost(v, m, in, rules[Capacity], o.At))
	}
	return out
}

// withoutHungry leaves out the silence of apps to which an app in trouble passes
// nothing on.
func withoutHungry(all []Sighting) []Sighting {
	trouble := map[string]string{} // app by IDC
	for i := range all {
		if k := all[i].Kind; k == Capacity || k == BadRelease {
			trouble[all[i].Scope.IDC] = all[i].Scope.App
		}
	}
	return slices.DeleteFunc(all, func(s Sighting) bool {
		app, is := trouble[s.Scope.IDC]
		return is && s.Kind == InputSilent && app != s.Scope.App
	})
}

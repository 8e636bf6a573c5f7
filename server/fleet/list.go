package fleet

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
)

// maxPage bounds one page of List.
const maxPage = 1000

// Get gives one agent as it is at now.
func (r *Registry) Get(instance string, now time.Time) (Agent, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	a := r.agents[instance]
	if a == nil {
		return Agent{}, fault.New(fault.NotFound, "there is no agent %s", gear.Shown(instance))
	}
	return r.view(a, now), nil
}

func (r *Registry) view(a *Agent, now time.Time) Agent {
	b := *a
	b.State, b.Banned = r.state(a, now), r.bans[a.Instance]
	if r.elsewhereOf(a) && a.Session != "" {
		b.Replica = a.Home
	}
	return b
}

func (r *Registry) state(a *Agent, now time.Time) State {
	switch {
	case r.bans[a.Instance] != "":
		return StateBanned
	case r.elsewhereOf(a):
		return stateElsewhere(a, r.peers[a.Home])
	default:
		return stateOf(a, now, r.opt.StaleAfter)
	}
}

// List gives the agents that f selects, by instance; next continues after a
// full page. Limit 0 asks for all.
func (r *Registry) List(f Filter, now time.Time) (items []Agent, next string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, a := range r.agents {
		if f.App != "" && a.App != f.App || f.IDC != "" && a.IDC != f.IDC || a.Instance <= f.After {
			continue
		}
		if f.State != "" && r.state(a, now) != f.State || !matches(a, f.Search) {
			continue
		}
		items = append(items, r.view(a, now))
	}
	slices.SortFunc(items, func(a, b Agent) int { return cmp.Compare(a.Instance, b.Instance) })
	if limit := min(f.Limit, maxPage); limit > 0 && len(items) > limit {
		items = items[:limit]
		next = items[limit-1].Instance
	}
	return items, next
}

func matches(a *Agent, search string) bool {
	if search == "" {
		return true
	}
	search = strings.ToLower(search)
	for _, s := range []string{a.Instance, a.Host, a.Build, a.App, a.IDC, a.Address} {
		if strings.Contains(strings.ToLower(s), search) {
			return true
		}
	}
	return false
}

// Counts gives how many agents are in each state.
func (r *Registry) Counts(now time.Time) map[State]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := map[State]int{}
	for _, a := range r.agents {
		out[r.state(a, now)]++
	}
	return out
}

// Declared gives what registered agents say about the points of app (of all
// apps for ""), one entry a build, IDC and declaration, with the number of
// machines. Banned agents do not count; disconnected ones do until they age
// out, because they will come back with the same code.
func (r *Registry) Declared(app string) []Declared {
	r.mu.RLock()
	defer r.mu.RUnlock()
	type key struct{ app, idc, build, point string }
	index := map[key][]int{}
	var out []Declared
	for _, a := range r.agents {
		if app != "" && a.App != app || r.bans[a.Instance] != "" {
			continue
		}
	points:
		for i := range a.Points {
			p := &a.Points[i]
			k := key{a.App, a.IDC, a.Build, p.Name}
			for _, at := range index[k] {
				if sameParams(out[at].Params, p.Params) {
					out[at].Machines++
					continue points
				}
			}
			index[k] = append(index[k], len(out))
			out = append(out, Declared{App: a.App, IDC: a.IDC, Build: a.Build, Point: p.Name, Machines: 1, Params: p.Params})
		}
	}
	slices.SortStableFunc(out, func(a, b Declared) int {
		return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.IDC, b.IDC), cmp.Compare(a.Point, b.Point),
			cmp.Compare(a.Build, b.Build), cmp.Compare(b.Machines, a.Machines))
	})
	return out
}

func sameParams(a, b []gear.Param) bool {
	return slices.EqualFunc(a, b, func(x, y gear.Param) bool {
		return x.Name == y.Name && x.Kind == y.Kind && x.Unit == y.Unit && x.Min == y.Min && x.Max == y.Max && x.Step == y.Step &&
			x.Default == y.Default && x.Monotonic == y.Monotonic && slices.Equal(x.Values, y.Values)
	})
}

// Place is an app in an IDC.
type Place struct{ App, IDC string }

// Places gives every app x IDC that has an agent.
func (r *Registry) Places() []Place {
	r.mu.RLock()
	defer r.mu.RUnlock()
	seen := map[Place]struct{}{}
	for _, a := range r.agents {
		seen[Place{a.App, a.IDC}] = struct{}{}
	}
	out := make([]Place, 0, len(seen))
	for p := range seen {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b Place) int { return cmp.Or(cmp.Compare(a.App, b.App), cmp.Compare(a.IDC, b.IDC)) })
	return out
}

// Points gives the names of the points declared by agents of app in idc; ""
// stands for any.
func (r *Registry) Points(app, idc string) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	seen := map[string]struct{}{}
	for _, a := range r.agents {
		if (app == "" || a.App == app) && (idc == "" || a.IDC == idc) {
			for i := range a.Points {
				seen[a.Points[i].Name] = struct{}{}
			}
		}
	}
	out := make([]string, 0, len(seen))
	for p := range seen {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// Changes rises whenever an agent registers, declares, leaves, ages out or is
// banned, so that a reader can tell cheaply whether to look again.
func (r *Registry) Changes() uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.changes
}

// Live reports whether session is the current one of its agent.
func (r *Registry) Live(session string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.sessions[session] != nil
}

// SetRules changes the rules for stale and aged-out agents; 0 keeps one.
func (r *Registry) SetRules(staleAfter, ageOut time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if staleAfter > 0 {
		r.opt.StaleAfter = staleAfter
	}
	if ageOut > 0 {
		r.opt.AgeOut = ageOut
	}
}

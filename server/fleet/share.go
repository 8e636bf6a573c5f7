package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/replica"
)

const (
	// tellEvery is how often an app x IDC is told though nothing but figures changed.
	tellEvery = 10 * time.Second
	// tellGone is for how long a disconnected agent is told of; then its row says it.
	tellGone = 10 * time.Minute
)

// peer is another replica, as last seen.
type peer struct{ alive bool }

// shared is what a registry keeps because of other replicas. The registry's lock
// guards it.
type shared struct {
	peers     map[string]peer
	moved     map[Place]struct{}  // to be told
	told      map[Place]time.Time // when last
	elsewhere map[string]struct{} // agents of others that changed since Settle
	over      []Agent             // sessions that are served elsewhere now
}

// elsewhereOf tells that another replica speaks for the agent.
func (r *Registry) elsewhereOf(a *Agent) bool { return a.Home != "" && a.Home != r.opt.Replica }

// lost tells that nobody can know whether the agent's session still lives: the
// replica that served it is not heard.
func (r *Registry) lost(a *Agent) bool { return r.elsewhereOf(a) && !r.peers[a.Home].alive }

// Topic implements replica.Topic.
func (r *Registry) Topic() string { return "agents" }

// Tell implements replica.Topic: the agents whose home is here, a part an app x IDC.
func (r *Registry) Tell(now time.Time, whole bool) (parts []replica.Part) {
	for p, agents := range r.toTell(now, whole) {
		part := replica.Part{Topic: r.Topic(), Name: p.App + "/" + p.IDC}
		if len(agents) > 0 {
			var err error
			if part.Body, err = r.opt.Codec.Pack(agents); err != nil {
				r.opt.Log.Error("agents not told to other replicas", "app", p.App, "idc", p.IDC, "error", err)
				continue
			}
		}
		parts = append(parts, part)
	}
	return parts
}

func (r *Registry) toTell(now time.Time, whole bool) map[Place][]Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.sessions {
		if quiet := stateOf(a, now, r.opt.StaleAfter) == StateStale; quiet != a.Quiet {
			a.Quiet = quiet
			r.move(a)
		}
	}
	out := map[Place][]Agent{}
	for p, at := range r.told {
		if now.Sub(at) >= tellEvery {
			out[p] = nil
		}
	}
	for p := range r.moved {
		out[p] = nil
	}
	clear(r.moved)
	for _, a := range r.agents {
		p := Place{a.App, a.IDC}
		if _, due := out[p]; a.Home != r.opt.Replica || !due && !whole || a.Session == "" && now.Sub(a.SeenAt) > tellGone {
			continue
		}
		out[p] = append(out[p], *a)
	}
	for p, agents := range out {
		if r.told[p] = now; len(agents) == 0 {
			delete(r.told, p)
		}
		slices.SortFunc(agents, func(a, b Agent) int { return cmp.Compare(a.Instance, b.Instance) })
	}
	return out
}

// Hear implements replica.Topic.
func (r *Registry) Hear(from string, part replica.Part, now time.Time) error {
	app, idc, ok := strings.Cut(part.Name, "/")
	if !ok {
		return fmt.Errorf("part %q names no app and IDC", gear.Shown(part.Name))
	}
	var agents []Agent
	if len(part.Body) > 0 {
		var err error
		if agents, err = r.opt.Codec.Unpack(part.Body); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	there := make(map[string]bool, len(agents))
	for i := range agents {
		a := &agents[i]
		a.App, a.IDC, a.Home = app, idc, from
		there[a.Instance] = true
		r.take(a, from, now)
	}
	for _, a := range r.agents {
		if a.Home == from && a.Session != "" && a.App == app && a.IDC == idc && !there[a.Instance] {
			r.drop(a, now)
		}
	}
	return nil
}

// take puts a peer's account of an agent in place of what was known, if it is newer.
func (r *Registry) take(a *Agent, from string, now time.Time) {
	old := r.agents[a.Instance]
	switch {
	case old == nil:
		if len(r.agents) >= r.opt.MaxAgents {
			return
		}
		r.changes++
	case !newer(a, old, from):
		return
	default:
		if r.sessions[old.Session] == old {
			delete(r.sessions, old.Session)
			r.over = append(r.over, r.view(old, now))
			r.move(old)
		}
		if old.Session != a.Session || old.Quiet != a.Quiet || len(old.Points) != len(a.Points) {
			r.changes++
		}
		a.savedAt = old.savedAt
	}
	r.agents[a.Instance] = a
	r.elsewhere[a.Instance] = struct{}{}
	delete(r.dirty, a.Instance) // its home writes the row
	delete(r.gone, a.Instance)
}

// drop ends what was known of an agent's session elsewhere.
func (r *Registry) drop(a *Agent, seen time.Time) {
	a.Session, a.Quiet, a.SeenAt = "", false, seen
	r.elsewhere[a.Instance] = struct{}{}
	r.changes++
}

// Reset implements replica.Topic: the peer's sessions ended with the account of them.
func (r *Registry) Reset(from string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.agents {
		if a.Home == from && a.Session != "" {
			r.drop(a, now)
		}
	}
	delete(r.peers, from)
}

// Peer implements replica.Topic. While a peer is not heard its agents are stale; when
// it stays away they are disconnected since its last beat, and who leads keeps that.
func (r *Registry) Peer(name string, alive bool, beat, now time.Time) {
	leading := r.opt.Leading()
	r.mu.Lock()
	defer r.mu.Unlock()
	was, known := r.peers[name]
	gone := now.Sub(beat) > goneAfter
	if known && was.alive == alive && !gone {
		return
	}
	r.peers[name] = peer{alive: alive}
	if was.alive != alive {
		r.changes++
	}
	for _, a := range r.agents {
		if a.Home != name || a.Session == "" {
			continue
		}
		if r.elsewhere[a.Instance] = struct{}{}; gone {
			r.drop(a, beat)
			if leading {
				r.touch(a)
			}
		}
	}
}

// Settle hands on what the last turn brought: whose stream must end here, and how
// the agents of others are.
func (r *Registry) Settle(now time.Time) {
	r.mu.Lock()
	over := r.over
	r.over = nil
	agents := make([]Agent, 0, len(r.elsewhere))
	for instance := range r.elsewhere {
		if a := r.agents[instance]; a != nil && r.elsewhereOf(a) {
			agents = append(agents, r.view(a, now))
		}
	}
	clear(r.elsewhere)
	r.mu.Unlock()
	for i := range over {
		r.opt.End(over[i], "served by another controller")
	}
	if len(agents) > 0 {
		r.opt.Elsewhere(agents)
	}
}

var _ replica.Topic = (*Registry)(nil)

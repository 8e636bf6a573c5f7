package quota

import (
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Meter gathers what agents of this replica count, until the loop takes it.
type Meter struct {
	mu     sync.Mutex
	groups map[string]*metered // by name, those that exist
}

type metered struct {
	group  *Group
	parts  map[int64]Count
	agents map[agentKey]agentState
	capped int64
}

type agentKey struct{ app, idc, instance string }

type agentState struct {
	rung  gear.QuotaRung
	base  float64
	heard time.Time
}

// agentSilent is how long an agent that says nothing counts as one of the group.
const agentSilent = 5 * time.Second

// maxPending bounds the sub-windows that wait while the window is away.
const maxPending = 10

// maxAgents bounds the agents remembered of a group.
const maxAgents = 100_000

// NewMeter makes a meter that knows no group.
func NewMeter() *Meter { return &Meter{groups: map[string]*metered{}} }

// Know sets the groups that count.
func (m *Meter) Know(groups []*Group) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := make(map[string]*metered, len(groups))
	for _, g := range groups {
		if !g.Enabled {
			continue
		}
		old := m.groups[g.Name]
		if old == nil {
			old = &metered{parts: map[int64]Count{}, agents: map[agentKey]agentState{}}
		}
		old.group = g
		next[g.Name] = old
	}
	m.groups = next
}

// Count takes an agent's counts. Those for a group that has no place in the
// agent's app x IDC are dropped: an agent cannot spend others' budgets.
func (m *Meter) Count(app, idc, instance string, counts []gear.QuotaCount, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var scratch [8]Part
	for i := range counts {
		c := &counts[i]
		g := m.groups[c.Group]
		if g == nil || !g.group.Covers(app, idc) {
			continue
		}
		k := agentKey{app, idc, instance}
		if _, known := g.agents[k]; known || len(g.agents) < maxAgents {
			g.agents[k] = agentState{c.Rung, c.Base, now}
		}
		g.capped += c.Capped
		if c.Requests == 0 && c.Consumed == 0 {
			continue
		}
		for _, p := range Spread(scratch[:0], now, c.Span, Count{c.Consumed, c.Requests, c.WeightMilli}) {
			g.parts[p.Bucket] = g.parts[p.Bucket].Plus(p.Count)
		}
	}
}

// Gone forgets an agent whose stream ended.
func (m *Meter) Gone(app, idc, instance string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, g := range m.groups {
		delete(g.agents, agentKey{app, idc, instance})
	}
}

// Crew is how a group's agents stand.
type Crew struct {
	Agents, Live, Returning, Fallback int
	Capped                            int64 // requests cut by local caps since the last look
}

// Take gives what was counted since the last time.
func (m *Meter) Take(now time.Time) []Added {
	added, _ := m.take(now)
	return added
}

// take gives what was counted since, and how the agents stand.
func (m *Meter) take(now time.Time) (added []Added, crews map[string]Crew) {
	m.mu.Lock()
	defer m.mu.Unlock()
	crews = make(map[string]Crew, len(m.groups))
	for name, g := range m.groups {
		c := Crew{Capped: g.capped}
		g.capped = 0
		for k, a := range g.agents {
			if now.Sub(a.heard) > agentSilent {
				delete(g.agents, k)
				continue
			}
			c.Agents++
			switch a.rung {
			case gear.QuotaLive:
				c.Live++
			case gear.QuotaReturning:
				c.Returning++
			case gear.QuotaFallback, gear.QuotaDefault:
				c.Fallback++
			}
		}
		crews[name] = c
		if len(g.parts) == 0 {
			continue
		}
		a := Added{Group: g.group.ID, Keep: g.group.Settings.Window}
		for b, n := range g.parts {
			a.Parts = append(a.Parts, Part{b, n})
		}
		added = append(added, a)
		g.parts = make(map[int64]Count, 2)
	}
	return added, crews
}

// put gives back what could not be handed on, as long as it may still count.
func (m *Meter) put(added []Added, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range added {
		for _, g := range m.groups {
			if g.group.ID != a.Group {
				continue
			}
			for _, p := range a.Parts {
				if Bucket(now)-p.Bucket < maxPending {
					g.parts[p.Bucket] = g.parts[p.Bucket].Plus(p.Count)
				}
			}
		}
	}
}

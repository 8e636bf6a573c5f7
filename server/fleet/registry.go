package fleet

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
)

// Options are the registry's settings. The zero value gives the defaults.
type Options struct {
	Replica    string           // name of this controller
	StaleAfter time.Duration    // without a report; 5 s = five report intervals
	AgeOut     time.Duration    // after which a disconnected agent is forgotten; 24 h
	FlushEvery time.Duration    // between batches to the store; 1 s
	MaxAgents  int              // 100,000
	MaxScenes  int              // scenes remembered an app; 1,000
	Now        func() time.Time // reference time for Run; time.Now
	Log        *slog.Logger
}

func (o Options) withDefaults() Options {
	o.StaleAfter = cmp.Or(max(o.StaleAfter, 0), 5*time.Second)
	o.AgeOut = cmp.Or(max(o.AgeOut, 0), 24*time.Hour)
	o.FlushEvery = cmp.Or(max(o.FlushEvery, 0), time.Second)
	o.MaxAgents = cmp.Or(max(o.MaxAgents, 0), 100_000)
	o.MaxScenes = cmp.Or(max(o.MaxScenes, 0), 1000)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Registry is the fleet in memory. All methods are safe from any goroutine.
type Registry struct {
	opt   Options
	store Store

	mu       sync.RWMutex
	agents   map[string]*Agent              // by instance
	sessions map[string]*Agent              // by current session
	scenes   map[string]map[string]struct{} // by app
	dirty    map[string]struct{}
	gone     map[string]struct{} // to be deleted from the store
	changes  uint64              // rises with every change of presence or declaration

	writing sync.Mutex // one batch at a time
}

// NewRegistry makes an empty registry on store.
func NewRegistry(store Store, opt Options) *Registry {
	return &Registry{
		opt: opt.withDefaults(), store: store, agents: map[string]*Agent{}, sessions: map[string]*Agent{},
		scenes: map[string]map[string]struct{}{}, dirty: map[string]struct{}{}, gone: map[string]struct{}{},
	}
}

// Connection is what a registered stream needs to know.
type Connection struct {
	Session  string
	Instance string   // may differ from the hello's
	Replaced string   // session of the same process that this one replaces; "" for none
	LastAck  gear.Ack // so that a refused version is not sent again
}

// Connect registers an agent. The error is Invalid with every path, Forbidden
// for a banned instance, or Unavailable when the fleet is full.
func (r *Registry) Connect(h gear.Hello, address string, now time.Time) (Connection, error) {
	if ps := checkHello(&h); len(ps) > 0 {
		return Connection{}, fault.WithProblems(ps, "hello refused")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.agents[h.Instance]
	if old != nil && old.Banned != "" {
		return Connection{}, fault.New(fault.Forbidden, "agent %s is banned: %s", old.Instance, gear.Shown(old.Banned))
	}
	c := Connection{Session: uuid.NewString(), Instance: h.Instance}
	switch {
	case old == nil:
	case sameProcess(old, &h):
		c.Replaced, c.LastAck = old.Session, old.LastAck
	case old.Session != "":
		c.Instance, old = r.freeID(h.Instance), nil
	default:
		old = nil // a new process takes over the id of one that is gone
	}
	if _, known := r.agents[c.Instance]; !known && len(r.agents) >= r.opt.MaxAgents {
		return Connection{}, fault.New(fault.Unavailable, "the fleet is full: %d agents", len(r.agents))
	}
	a := &Agent{
		Instance: c.Instance, App: h.App, IDC: h.IDC, Host: h.Host, Build: h.Build, SDK: h.SDK, Address: address,
		Capabilities: h.Capabilities, Points: h.Points, State: StateConnected, Session: c.Session, Replica: r.opt.Replica,
		Held: h.Held, HeldHash: h.HeldHash, Rung: h.FallbackRung, StartedAt: h.StartedAt, ConnectedAt: now, SeenAt: now,
	}
	if old != nil {
		a.LastAck, a.LastAckAt, a.ClockOffset, a.CPU = old.LastAck, old.LastAckAt, old.ClockOffset, old.CPU
		a.LastReportAt = old.LastReportAt
	}
	if before := r.agents[c.Instance]; before != nil {
		delete(r.sessions, before.Session)
	}
	r.agents[c.Instance], r.sessions[c.Session] = a, a
	delete(r.gone, c.Instance)
	r.touch(a)
	r.changes++
	return c, nil
}

// freeID makes an id that nobody has, from one that is taken.
func (r *Registry) freeID(taken string) string {
	base := taken[:min(len(taken), gear.MaxName-9)]
	for {
		id := base + "-" + uuid.NewString()[:8]
		if r.agents[id] == nil {
			return id
		}
	}
}

// Disconnect ends a session; false when it is not the current one.
func (r *Registry) Disconnect(session string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.sessions[session]
	if a == nil {
		return false
	}
	delete(r.sessions, session)
	a.Session, a.Replica, a.SeenAt = "", "", now
	r.touch(a)
	r.changes++
	return true
}

// Ack notes an agent's answer. It reports false for a session that is over.
func (r *Registry) Ack(session string, ack gear.Ack, now time.Time) bool {
	return r.update(session, func(a *Agent) {
		a.LastAck, a.LastAckAt, a.SeenAt = ack, now, now
		if !ack.Refused && a.Held.Less(ack.Version) {
			a.Held = ack.Version
		}
	}, true)
}

// Report notes what a report says about the agent itself.
func (r *Registry) Report(session string, rep *gear.Report, now time.Time) bool {
	ok := r.update(session, func(a *Agent) {
		a.Held, a.Rung, a.ClockOffset, a.CPU = rep.Held, rep.Rung, rep.Clock, rep.CPU
		a.LastReportAt, a.SeenAt = now, now
	}, false)
	if ok {
		r.learnScenes(session, rep)
	}
	return ok
}

// Redeclare takes a second hello on a live session: the agent declared more
// points since, or was asked to say everything again.
func (r *Registry) Redeclare(session string, h gear.Hello, now time.Time) error {
	r.mu.RLock()
	a := r.sessions[session]
	r.mu.RUnlock()
	if a == nil {
		return fault.New(fault.NotFound, "the session is over")
	}
	h.Instance, h.App, h.IDC = a.Instance, a.App, a.IDC // an identity does not change on a stream
	if ps := checkHello(&h); len(ps) > 0 {
		return fault.WithProblems(ps, "hello refused")
	}
	r.update(session, func(a *Agent) {
		a.Points, a.Capabilities, a.Held, a.HeldHash, a.Rung, a.SeenAt = h.Points, h.Capabilities, h.Held, h.HeldHash, h.FallbackRung, now
	}, true)
	r.mu.Lock()
	r.changes++
	r.mu.Unlock()
	return nil
}

// update changes the agent of a live session; keep says that the change is
// worth a write. Reports are not: a batch a second of every agent would be.
func (r *Registry) update(session string, change func(*Agent), keep bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.sessions[session]
	if a == nil {
		return false
	}
	change(a)
	if keep {
		r.touch(a)
	}
	return true
}

func (r *Registry) touch(a *Agent) { r.dirty[a.Instance] = struct{}{} }

func (r *Registry) learnScenes(session string, rep *gear.Report) {
	r.mu.RLock()
	a := r.sessions[session]
	var app string
	fresh := false
	if a != nil {
		app = a.App
		known := r.scenes[app]
		for i := range rep.Points {
			if _, ok := known[rep.Points[i].Scene]; !ok {
				fresh = true
				break
			}
		}
	}
	r.mu.RUnlock()
	if !fresh {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.scenes[app]
	if known == nil {
		known = map[string]struct{}{}
		r.scenes[app] = known
	}
	for i := range rep.Points {
		if s := rep.Points[i].Scene; gear.PlaceName(s) && len(known) < r.opt.MaxScenes {
			known[strings.Clone(s)] = struct{}{}
		}
	}
}

// Scenes gives the scenes that agents of app have reported; of all apps for "".
func (r *Registry) Scenes(app string) []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []string
	for a, scenes := range r.scenes {
		if app == "" || a == app {
			for s := range scenes {
				out = append(out, s)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

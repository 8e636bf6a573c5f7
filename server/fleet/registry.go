package fleet

import (
	"cmp"
	"log/slog"
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
	// Leading tells whether this replica drops who aged out from the store; nil: it
	// does.
	Leading func() bool
	// Codec packs agents for other replicas; nil: there are none.
	Codec Codec
	// End is told of sessions that are over though their stream may not know it: the
	// agent is banned, or another replica serves it. It must not block or call back.
	End func(a Agent, reason string)
	// Elsewhere is told of agents of other replicas, as they are now, of which what
	// they hold or whether they are there changed. It must not block or call back.
	Elsewhere func(agents []Agent)
	Log       *slog.Logger
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
	if o.Leading == nil {
		o.Leading = func() bool { return true }
	}
	if o.End == nil {
		o.End = func(Agent, string) {}
	}
	if o.Elsewhere == nil {
		o.Elsewhere = func([]Agent) {}
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
	bans     map[string]string   // reasons by instance
	banned   uint64              // rises with every ban and unban made here
	shared                       // with other replicas

	writing sync.Mutex // one batch at a time
}

// NewRegistry makes an empty registry on store.
func NewRegistry(store Store, opt Options) *Registry {
	return &Registry{
		opt: opt.withDefaults(), store: store, agents: map[string]*Agent{}, sessions: map[string]*Agent{},
		scenes: map[string]map[string]struct{}{}, dirty: map[string]struct{}{}, gone: map[string]struct{}{}, bans: map[string]string{},
		shared: shared{
			peers: map[string]peer{}, moved: map[Place]struct{}{}, told: map[Place]time.Time{}, elsewhere: map[string]struct{}{},
		},
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
	if reason := r.bans[h.Instance]; reason != "" {
		return Connection{}, fault.New(fault.Forbidden, "agent %s is banned: %s", h.Instance, gear.Shown(reason))
	}
	epoch := now.UnixMicro()
	if old != nil {
		epoch = max(epoch, old.Epoch+1) // whatever the clocks of two replicas say
	}
	c := Connection{Session: uuid.NewString(), Instance: h.Instance}
	switch {
	case old == nil:
	case sameProcess(old, &h):
		c.Replaced, c.LastAck = old.Session, old.LastAck
	case old.Session != "" && !r.lost(old):
		c.Instance, old = r.freeID(h.Instance), nil
	default:
		old = nil // a new process takes over the id of one that is gone
	}
	if _, known := r.agents[c.Instance]; !known && len(r.agents) >= r.opt.MaxAgents {
		return Connection{}, fault.New(fault.Unavailable, "the fleet is full: %d agents", len(r.agents))
	}
	a := &Agent{
		Instance: c.Instance, App: h.App, IDC: h.IDC, Host: h.Host, Build: h.Build, SDK: h.SDK, Address: address,
		Capabilities: h.Capabilities, Points: h.Points, State: StateConnected, Session: c.Session,
		Replica: r.opt.Replica, Home: r.opt.Replica, Epoch: epoch,
		Held: h.Held, HeldHash: h.HeldHash, Rung: h.FallbackRung, StartedAt: h.StartedAt, ConnectedAt: now, SeenAt: now,
	}
	if old != nil {
		a.LastAck, a.LastAckAt, a.ClockOffset, a.CPU = old.LastAck, old.LastAckAt, old.ClockOffset, old.CPU
		a.LastReportAt = old.LastReportAt
	}
	before := r.agents[c.Instance]
	if before != nil {
		delete(r.sessions, before.Session)
	}
	r.agents[c.Instance], r.sessions[c.Session] = a, a
	delete(r.gone, c.Instance)
	delete(r.elsewhere, c.Instance)
	// Ten thousand that come back as they were are ten thousand rows not written:
	// that they are here, and what they hold, other replicas are told in a few.
	if before == nil || !sameRow(before, a) || now.Sub(before.savedAt) > r.opt.AgeOut/4 {
		r.touch(a)
	} else {
		a.savedAt = before.savedAt
	}
	r.move(a)
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
	return r.Leave(session, false, now)
}

// Leave is Disconnect, with clean for an agent that said goodbye.
func (r *Registry) Leave(session string, clean bool, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.sessions[session]
	if a == nil {
		return false
	}
	delete(r.sessions, session)
	a.Session, a.Replica, a.Left, a.SeenAt = "", "", clean, now
	r.touch(a)
	r.move(a)
	r.changes++
	return true
}

// Ack notes an agent's answer. It reports false for a session that is over.
func (r *Registry) Ack(session string, ack gear.Ack, now time.Time) bool {
	return r.update(session, func(a *Agent) {
		// A refusal must outlive this process: what was refused is not sent again.
		if ack.Refused || a.LastAck.Refused {
			r.touch(a)
		}
		a.LastAck, a.LastAckAt, a.SeenAt = ack, now, now
		if !ack.Refused && a.Held.Less(ack.Version) {
			a.Held = ack.Version
		}
		r.move(a)
	})
}

// Report notes what a report says about the agent itself.
func (r *Registry) Report(session string, rep *gear.Report, now time.Time) bool {
	ok := r.update(session, func(a *Agent) {
		if a.Held != rep.Held || a.Rung != rep.Rung {
			r.move(a)
		}
		a.Held, a.Rung, a.ClockOffset, a.CPU = rep.Held, rep.Rung, rep.Clock, rep.CPU
		a.LastReportAt, a.SeenAt = now, now
	})
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
		r.touch(a)
		r.move(a)
		r.changes++
	})
	return nil
}

// update changes the agent of a live session.
func (r *Registry) update(session string, change func(*Agent)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.sessions[session]
	if a == nil {
		return false
	}
	change(a)
	return true
}

// touch has the agent's row written: what must survive a restart changed. Reports
// do not, nor do acknowledgements: a row a second of every agent would be.
func (r *Registry) touch(a *Agent) { r.dirty[a.Instance] = struct{}{} }

// move has other replicas told of the agent.
func (r *Registry) move(a *Agent) { r.moved[Place{a.App, a.IDC}] = struct{}{} }

package app

import (
	"time"

	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/replica"
	"github.com/allspark/allspark/server/store"
)

// shared tells whether other controllers may be on the database: not on a SQLite
// file, which has one process.
func (a *App) shared() bool { return a.db.Dialect() == "postgres" }

// codec packs agents for other controllers, where there may be some.
func (a *App) codec() fleet.Codec {
	if !a.shared() {
		return nil
	}
	return store.Presence{}
}

// runExchange lets this controller and others know what each of them sees.
func (a *App) runExchange() {
	if !a.shared() {
		return
	}
	e := replica.New(replica.Config{
		Name: a.cfg.Replica, Store: a.db, Topics: []replica.Topic{a.fleet, a.windows}, After: a.fleet.Settle,
		Leading: a.leading, Log: a.log,
	})
	a.loops.Go(func() { e.Run(a.run) })
}

func (a *App) leading() bool { return a.loop.Status().Leading }

// endSession ends the stream of an agent whose session is over.
func (a *App) endSession(g fleet.Agent, reason string) {
	a.hub.Yield(push.Key{App: g.App, IDC: g.IDC}, g.Instance, reason)
}

// elsewhere notes in the ledger how agents of other controllers stand.
func (a *App) elsewhere(agents []fleet.Agent) {
	behind := time.Since(a.clock.Now()) // the ledger's clock is this machine's
	for i := range agents {
		g := &agents[i]
		m := push.Elsewhere{Held: g.Held, At: g.LastAckAt.Add(behind)}
		if g.LastAck.Refused {
			m.Refused = g.LastAck
		}
		switch {
		case g.Session == "":
			m.Away, m.Gone = g.SeenAt.Add(behind), g.Left
		case g.State == fleet.StateStale && !g.Quiet:
			m.Away = time.Now() // nobody knows: its controller is not heard
		}
		a.hub.Elsewhere(push.Key{App: g.App, IDC: g.IDC}, g.Instance, m)
	}
}

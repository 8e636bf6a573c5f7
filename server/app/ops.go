package app

import (
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/opsapi"
)

// ops is the listener for metrics and profiles; nil without an address.
type ops struct {
	api  *opsapi.Server
	http *http.Server
	ln   net.Listener
}

func (a *App) openOps(version string) (err error) {
	if a.cfg.Ops.Addr == "" {
		return nil
	}
	o := &ops{}
	if o.ln, err = net.Listen("tcp", a.cfg.Ops.Addr); err != nil {
		return fmt.Errorf("listen for metrics (ops.addr): %w", err)
	}
	a.onClose("metrics listener", closeListener(o.ln))
	a.log.Info("metrics", "addr", o.ln.Addr().String())
	if addr := o.ln.Addr().String(); !config.Loopback(addr) {
		a.log.Warn("metrics and profiles are served beyond this machine, without credentials", "addr", addr)
	}
	o.api = opsapi.New(opsapi.Sources{
		Version: version, Replica: a.cfg.Replica, Now: a.clock.Now,
		Agents: a.fleet.Counts, Points: a.windows.Points, Progress: a.hub.All, Loop: a.loop.Status,
		Streams: a.streams,
	}, map[string]*sql.DB{a.db.Dialect(): a.db.SQL()})
	// A profile takes as long as it was asked for, so there is no write timeout.
	o.http = &http.Server{Handler: o.api, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	a.ops = o
	return nil
}

func (a *App) streams() opsapi.Streams {
	s := a.agents.Stats()
	return opsapi.Streams{Open: s.Streams, Events: map[string]int64{
		"hello": s.Hellos, "turned_away": s.TurnedAway, "hello_refused": s.Refused, "ack": s.Acks,
		"report": s.Reports, "bad_report": s.BadReports, "cut": s.Cuts, "slowed": s.Slowed, "panic": s.Panics,
	}}
}

// observe gives the console's edge where to note requests; nil when nobody asks.
func (a *App) observe() func(method, route string, status int, took time.Duration) {
	if a.ops == nil {
		return nil
	}
	return a.ops.api.Observe
}

// OpsAddr is where metrics are served; "" when they are not.
func (a *App) OpsAddr() string {
	if a.ops == nil {
		return ""
	}
	return a.ops.ln.Addr().String()
}

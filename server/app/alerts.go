package app

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/notify"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/telemetry"
)

const (
	// factsEvery is how often the database and the fleet are asked what the rules
	// judge; measurements are looked at every second.
	factsEvery  = 3 * time.Second
	factsBudget = 5 * time.Second
	// missedFor is how long a missed step stands as an alert.
	missedFor = 24 * time.Hour
)

// alerts are the parts that say what is wrong.
type alerts struct {
	loop    *alert.Loop
	service *alert.Service
	facts   atomic.Pointer[alertFacts]
}

// alertFacts are what a look must not wait for.
type alertFacts struct {
	builds map[telemetry.Source]string
	agents []alert.AgentState
	missed []alert.MissedStep
	groups []*quota.Group
}

// openAlerts wires the watch on every replica, and raising and sending on the one
// that holds the lease. Its goroutines share nothing with control but reads.
func (a *App) openAlerts(holder string) error {
	allow, err := notify.ParseAllow(a.cfg.Alerts.Allow)
	if err != nil {
		return fmt.Errorf("alerts.allow: %w", err)
	}
	sender := notify.New(allow, a.version)
	a.alerts.facts.Store(&alertFacts{})
	a.alerts.loop = alert.NewLoop(alert.Config{
		Store: a.db, Clock: a.db, Lease: a.db, Holder: holder, TTL: a.cfg.Lease.TTL, Sender: sender,
		Observe: a.look, Link: a.alertLink(), Now: a.clock.Now, Log: a.log,
	})
	a.alerts.service = alert.NewService(a.db, sender, a.clock.Now, a.alerts.loop.Nudge)
	a.loops.Go(func() { a.gatherFacts(a.run) })
	a.loops.Go(func() { a.alerts.loop.Run(a.run) })
	return nil
}

// alertLink gives the console's address of an alert: the one set, else this
// machine's own where nobody else can reach it.
func (a *App) alertLink() func(id string) string {
	base := strings.TrimRight(a.cfg.Alerts.ConsoleURL, "/")
	if base == "" && config.Loopback(a.HTTPAddr()) {
		scheme := "http"
		if a.cfg.HTTP.TLSCert != "" {
			scheme = "https"
		}
		base = scheme + "://" + a.HTTPAddr()
	}
	if base == "" {
		return nil
	}
	return func(id string) string { return base + "/alerts/" + id }
}

// look puts a look together from memory.
func (a *App) look(now time.Time) alert.Observation {
	f := a.alerts.facts.Load()
	o := alert.Observation{
		At: now, Machines: a.windows.Machines(now), Agents: f.agents, Missed: f.missed,
		Build: func(s telemetry.Source) string { return f.builds[s] },
		Gears: a.publisher.gears,
	}
	for _, g := range f.groups {
		if !g.Enabled {
			continue
		}
		s := a.quota.loop.Status(g.ID)
		if s.Crew.Agents == 0 { // nobody falls back
			continue
		}
		x := alert.GroupState{Name: g.Name, App: gear.Any, IDC: gear.Any, Fallback: s.Crew.Fallback, Agents: s.Crew.Agents}
		if len(g.Members) > 0 {
			x.App, x.IDC = g.Members[0].App, g.Members[0].IDC
		}
		if !s.Heard {
			x.Trouble = s.Trouble
		}
		o.Groups = append(o.Groups, x)
	}
	return o
}

// gears tells which levels are ordered of a series.
func (p *publisher) gears(k telemetry.Key) (alert.Gears, bool) {
	p.mu.Lock()
	shift := p.shifts[push.Key{App: k.App, IDC: k.IDC}]
	p.mu.Unlock()
	if shift == nil {
		return alert.Gears{}, false
	}
	var out alert.Gears
	found := false
	for i := range shift.Set.Orders {
		o := &shift.Set.Orders[i]
		if o.Point != k.Point || o.Bucket != gear.Any || o.Scene != k.Scene && (o.Scene != gear.Any || found) {
			continue
		}
		out, found = alert.Gears{Min: o.MinLevel, Max: o.MaxLevel, Level: o.Level}, true
		if o.Scene == k.Scene {
			break
		}
	}
	return out, found
}

// gatherFacts asks the fleet and the database beside the looks.
func (a *App) gatherFacts(ctx context.Context) {
	t := time.NewTicker(factsEvery)
	defer t.Stop()
	for {
		within, cancel := context.WithTimeout(ctx, factsBudget)
		a.alerts.facts.Store(a.gather(within, a.alerts.facts.Load()))
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}

// gather keeps what the database said last while it is away.
func (a *App) gather(ctx context.Context, old *alertFacts) *alertFacts {
	now := a.clock.Now()
	f := &alertFacts{builds: map[telemetry.Source]string{}, missed: old.missed, groups: old.groups}
	agents, _ := a.fleet.List(fleet.Filter{}, now)
	for i := range agents {
		x := &agents[i]
		src := telemetry.Source{App: x.App, IDC: x.IDC, Instance: x.Instance}
		f.builds[src] = x.Build
		s := alert.AgentState{Source: src, Stale: x.State == fleet.StateStale, Silence: now.Sub(x.LastReportAt)}
		if (x.State == fleet.StateConnected || s.Stale) && x.LastAck.Refused {
			s.Refused, s.Version = true, x.LastAck.Version
			if len(x.LastAck.Problems) > 0 {
				s.Problems = x.LastAck.Problems[0].Path + ": " + x.LastAck.Problems[0].Message
			}
		}
		if s.Stale || s.Refused {
			f.agents = append(f.agents, s)
		}
	}
	if groups, err := a.db.ListGroups(ctx); err == nil {
		f.groups = groups
	}
	if missed, err := a.missed(ctx, now); err == nil {
		f.missed = missed
	}
	return f
}

// missed finds plans' steps that were missed lately and where they should have acted.
func (a *App) missed(ctx context.Context, now time.Time) ([]alert.MissedStep, error) {
	runs, err := a.db.ListRuns(ctx, "", now.Add(-missedFor))
	if err != nil {
		return nil, err
	}
	var out []alert.MissedStep
	for i := range runs {
		r := &runs[i]
		if r.State != plan.Missed || now.Sub(r.Start) > missedFor {
			continue
		}
		x := alert.MissedStep{Plan: r.Plan, Step: r.Step, Occurrence: r.Occurrence, Reason: r.Reason}
		p, err := a.db.GetPlan(ctx, r.Plan)
		if err != nil {
			continue // deleted: nobody waits for it
		}
		x.Plan = p.Name
		if s, ok := p.Step(r.Step); ok && len(s.Sets) > 0 {
			x.App, x.IDC = s.Sets[0].Scope.App, s.Sets[0].Scope.IDC
		}
		out = append(out, x)
	}
	return out, nil
}

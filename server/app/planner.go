package app

import (
	"context"
	"crypto/rand"
	_ "time/tzdata" // zones of plans, on machines without a zone database

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/lab"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/telemetry"
)

// plans are the parts of TimePlanner.
type plans struct {
	loop    *planner.Loop
	stager  *planner.Stager
	service *planner.Service
}

// openPlanner wires TimePlanner: the loop on the replica that holds its lease, the
// stager on every one.
func (a *App) openPlanner() {
	foreseer := control.NewForeseer(a.db, a.db, a.fleet)
	a.plans.loop = planner.NewLoop(planner.LoopConfig{
		Holder: a.cfg.Replica + "/" + rand.Text()[:6], Store: a.db, Clock: a.db, Lease: a.db, TTL: a.cfg.Lease.TTL, Wall: a.wall, Nudge: a.loop.Nudge,
		Alert: func(x planner.Alert) {
			a.log.Error("alert", "kind", "plan_step_"+x.Kind, "plan", x.Plan, "step", x.Step, "reason", x.Reason)
		},
		Log: a.log,
	})
	a.plans.stager = planner.NewStager(planner.StagerConfig{
		Store: a.db, Clock: a.db, Foreseer: foreseer, Log: a.log,
		Encode: func(s *gear.Staged, tables []gear.LevelTable) (any, error) { return agentapi.NewStagedFrame(s, tables) },
	})
	a.plans.service = planner.NewService(planner.ServiceConfig{
		Store: a.db, Control: a.db, Templates: a.db, Foreseer: foreseer, Stager: a.plans.stager, Agents: a.fleet, Ledger: a.hub, Audit: a.db,
		Profiles: a.db, History: telemetry.History{Store: a.db}, Rehearser: lab.Rehearser{}, Log: a.log,
		Go: func(f func(context.Context)) { a.loops.Go(func() { f(a.run) }) },
		Nudge: func() {
			a.plans.loop.Nudge()
			a.plans.stager.Nudge()
			a.loop.Nudge()
		},
	})
	a.loops.Go(func() { a.plans.loop.Run(a.run) })
	a.loops.Go(func() { a.plans.stager.Run(a.run) })
}

// staging lets agentapi hand agents' streams to the stager.
type staging struct{ *planner.Stager }

// Join implements agentapi.Staging.
func (s staging) Join(app, idc, instance, hash string, put func(frame any)) agentapi.StagedMember {
	return s.Stager.Join(app, idc, instance, hash, put)
}

// Plans gives the door through which the sample engine makes its plan.
func (a *App) Plans() (*planner.Service, planner.Store) { return a.plans.service, a.db }

package planner_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/plan"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/push"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/template"
)

// world is a database, a fleet of two agents and TimePlanner on them.
type world struct {
	db      *store.DB
	fleet   *fleet.Registry
	service *planner.Service
	stager  *planner.Stager
	loop    *planner.Loop
	alerts  []planner.Alert
}

var ann = audit.Change{Actor: "ann", Via: "api", Reason: "test"}

func newWorld(t *testing.T, dir string) *world {
	ctx := t.Context()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(dir, "a.db"), store.WithClock(time.Now))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, db.Migrate(ctx))
	w := &world{db: db, fleet: fleet.NewRegistry(db, fleet.Options{Replica: "a"})}
	for _, idc := range []string{"na61", "et2"} {
		_, err := w.fleet.Connect(gear.Hello{Instance: "sn-" + idc, App: "sn", IDC: idc, Build: "1", SDK: "1", StartedAt: time.Now(), Points: []gear.PointDecl{
			{Name: "recall", Params: []gear.Param{{Name: "n", Kind: gear.KindInt, Min: gear.Int(1), Max: gear.Int(100), Default: gear.Int(50)}}},
		}}, "10.0.0.1:1", time.Now())
		require.NoError(t, err)
	}
	ts := template.NewService(db, w.fleet, nil)
	doc, problems := template.Read([]byte("name: recall\nstrategy: {kind: fixed}\nlevels: {count: 10, default: 8, min: 1, max: 10}\nparameters: [{name: n, type: int}]\ngears: [{level: 1, set: {n: 1}}, {level: 10, set: {n: 100}}]\n"), template.YAML)
	require.Empty(t, problems)
	x := &template.Template{Name: "recall", Draft: &doc.Spec}
	require.NoError(t, db.CreateTemplate(ctx, x, ann))
	require.NoError(t, db.PublishTemplate(ctx, x, &template.Version{TemplateID: x.ID, Number: 1, Spec: doc.Spec}, ann))
	require.NoError(t, db.CreateBinding(ctx, &template.Binding{TemplateID: x.ID, Selector: template.Selector{Scene: "*", IDC: "*", App: "sn", Point: "recall"}}, ann))
	_ = ts
	f := control.NewForeseer(db, db, w.fleet)
	w.stager = planner.NewStager(planner.StagerConfig{
		Store: db, Clock: db, Foreseer: f,
		Encode: func(s *gear.Staged, _ []gear.LevelTable) (any, error) { return s, nil },
	})
	w.loop = planner.NewLoop(planner.LoopConfig{Holder: "a", Store: db, Clock: db, Lease: db, Alert: func(a planner.Alert) { w.alerts = append(w.alerts, a) }})
	w.service = planner.NewService(planner.ServiceConfig{Store: db, Control: db, Templates: db, Foreseer: f, Stager: w.stager, Agents: w.fleet, Ledger: push.NewHub(push.Options{}), Audit: db})
	return w
}

func onceAt(name string, at time.Time, level int) *plan.Plan {
	return &plan.Plan{Name: name, Zone: "UTC", Owner: "ann", Executor: "bob", Steps: []plan.Step{{
		Name: "gears", Do: plan.KindSet, At: at.UTC().Format("2006-01-02 15:04:05"), For: time.Hour,
		Sets: []plan.Set{{Scope: control.Scope{Scene: "*", IDC: "*", App: "sn", Point: "recall", Bucket: "*"}, Level: level}},
	}}}
}

func (w *world) approved(t *testing.T, p *plan.Plan) *plan.Plan {
	t.Helper()
	p, err := w.service.Create(t.Context(), p, ann)
	require.NoError(t, err)
	p, err = w.service.Approve(t.Context(), p.ID, 0, ann)
	require.NoError(t, err)
	return p
}

func (w *world) run(t *testing.T, p *plan.Plan) plan.Run {
	t.Helper()
	runs, err := w.db.ListRuns(t.Context(), p.ID, time.Time{})
	require.NoError(t, err)
	require.Len(t, runs, 1)
	return runs[0]
}

// TestR17: nobody looks from before a step's start on. Within the grace it fires
// late; past it, it is missed, says so once, and never takes effect; where a
// machine held it, the controllers follow the machine.
func TestR17(t *testing.T) {
	for name, c := range map[string]struct {
		away          time.Duration
		armed, staged bool
		want          plan.RunState
	}{
		"within the grace":        {plan.Grace, false, false, plan.Fired},
		"past it":                 {plan.Grace + time.Second, false, false, plan.Missed},
		"armed, then past it":     {30 * time.Minute, true, false, plan.Missed},
		"past it, on a machine":   {30 * time.Minute, false, true, plan.Fired},
		"armed and on a machine":  {30 * time.Minute, true, true, plan.Fired},
		"past its end, unnoticed": {3 * time.Hour, false, false, plan.Missed},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				w, ctx := newWorld(t, dir), t.Context()
				start := time.Now().Add(10 * time.Minute)
				p := w.approved(t, onceAt("p", start, 3))
				if c.staged {
					m := w.stager.Join("sn", "na61", "sn-na61", "", func(frame any) {})
					require.NoError(t, w.stager.Look(ctx))
					m.Ack(gear.StagedAck{Hash: w.stager.Staged("sn", "na61").Hash})
					require.NoError(t, w.stager.Look(ctx))
				}
				if c.armed {
					time.Sleep(time.Until(start.Add(-plan.Ahead)))
					_, err := w.loop.Look(ctx)
					require.NoError(t, err)
					require.Equal(t, plan.Armed, w.run(t, p).State)
				}
				time.Sleep(time.Until(start.Add(c.away)))
				before, err := w.db.ClaimsAt(ctx, time.Now())
				require.NoError(t, err)
				require.Empty(t, before, "what was armed does not take effect late by itself")
				for range 3 {
					_, err := w.loop.Look(ctx)
					require.NoError(t, err)
				}
				require.Equal(t, c.want, w.run(t, p).State)
				claims, err := w.db.ClaimsAt(ctx, time.Now())
				require.NoError(t, err)
				if c.want == plan.Fired {
					require.Len(t, claims, 1)
					require.Empty(t, w.alerts)
				} else {
					require.Empty(t, claims)
					require.Len(t, w.alerts, 1)
				}
				log, err := w.db.ListAudit(ctx, audit.Filter{Kind: "plan", Verb: map[plan.RunState]string{plan.Fired: "fire", plan.Missed: "miss"}[c.want], Limit: 10})
				require.NoError(t, err)
				require.Len(t, log, 1)
			})
		})
	}
}

// TestR18: a thousand times an operator cancels while two replicas fire. One
// outcome; the machines that did not confirm a cancel are named.
func TestR18(t *testing.T) {
	w, ctx := newWorld(t, t.TempDir()), t.Context()
	p := w.approved(t, onceAt("p", time.Now().Add(time.Hour), 3))
	fired := 0
	for i := range 1000 {
		in := plan.Instance{Key: plan.Key{Plan: p.ID, Occurrence: fmt.Sprint(i), Step: "gears"}, Plan: p, Step: &p.Steps[0], Start: time.Now(), End: time.Now().Add(time.Hour)}
		_, err := planner.Arm(ctx, w.db, &in, false, ann)
		require.NoError(t, err)
		var wg sync.WaitGroup
		errs := make([]error, 3)
		for k, do := range []func() error{
			func() error { return w.db.EndRun(ctx, in.Key, plan.Cancelled, "", ann) },
			func() error { return w.db.FireRun(ctx, in.Key, p.Epoch, "", ann) },
			func() error { return w.db.FireRun(ctx, in.Key, p.Epoch, "", ann) },
		} {
			wg.Go(func() { errs[k] = do() })
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				require.True(t, fault.Is(err, fault.Conflict), "%v", err)
			}
		}
		require.Equal(t, 1, won)
		if errs[0] != nil {
			fired++
		}
	}
	log, err := w.db.ListAudit(ctx, audit.Filter{Kind: "plan", Verb: "fire", Limit: 500})
	require.NoError(t, err)
	require.Len(t, log, min(fired, 500))

	m := w.stager.Join("sn", "na61", "sn-na61", "", func(any) {})
	require.NoError(t, w.stager.Look(ctx))
	m.Ack(gear.StagedAck{Hash: w.stager.Staged("sn", "na61").Hash})
	require.Empty(t, w.service.Unconfirmed(p).Lacking)
	_, err = w.service.Stop(ctx, p.ID, ann)
	require.NoError(t, err)
	require.NoError(t, w.stager.Look(ctx))
	lacking := w.service.Unconfirmed(p).Lacking
	require.Len(t, lacking, 1)
	require.Equal(t, "sn-na61", lacking[0].Instance)
}

// TestR24: for a hundred random plans, the dry run says what is really pushed: the
// control loop journals the same sets for the same app x IDCs, at the same
// instants, and the agents are those that are registered there.
func TestR24(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w, ctx := newWorld(t, dir), t.Context()
		random := rand.New(rand.NewPCG(1, 2))
		loop := control.NewLoop(control.Config{
			Holder: "a", Store: w.db, Templates: w.db, Lease: w.db, Places: w.fleet, Publisher: nobody{}, Log: slog.New(slog.DiscardHandler),
		})
		run, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); loop.Run(run) }()
		defer func() { stop(); <-done }()
		time.Sleep(3 * time.Second) // the lease is held, the first sets are journalled
		for i := range 100 {
			start := time.Now().Add(2 * time.Second).Truncate(time.Second)
			p := onceAt(fmt.Sprint("p", i), start, 1+random.IntN(10))
			p.Steps[0].For = 2 * time.Second
			p.Steps[0].Sets[0].Scope.IDC = []string{"*", "na61", "et2"}[random.IntN(3)]
			p.Steps[0].Sets[0].Scope.Scene = []string{"*", "k2"}[random.IntN(2)]
			previews, err := w.service.DryRun(ctx, p)
			require.NoError(t, err)
			require.NotEmpty(t, previews)
			w.approved(t, p)
			for _, v := range previews {
				for time.Now().Before(v.At) {
					_, err := w.loop.Look(ctx)
					require.NoError(t, err)
					time.Sleep(min(time.Until(v.At), time.Second))
				}
				_, err := w.loop.Look(ctx)
				require.NoError(t, err)
				time.Sleep(500 * time.Millisecond) // control has its own timer at the instant
				shift, err := w.db.ShiftAt(ctx, v.App, v.IDC, time.Now())
				require.NoError(t, err)
				require.Equal(t, v.Set.Hash, shift.Hash, "plan %d, %s at %s", i, v.IDC, v.At)
				require.Equal(t, []string{"sn-" + v.IDC}, v.Agents)
			}
			time.Sleep(time.Second)
		}
	})
}

// nobody hears of shifts: the journal is what is looked at.
type nobody struct{}

func (nobody) Publish(context.Context, *control.Shift) error { return nil }

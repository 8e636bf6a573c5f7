package app

import (
	"context"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/profile"
	"github.com/allspark/allspark/server/scene"
	"github.com/allspark/allspark/server/telemetry"
)

// scenesLease names the lease of the replica that regulates scenes and builds their
// tables; as for feedbackLease, it need not be the one that decides.
const scenesLease = "scenes"

// sceneRooms are what regulates response times end to end.
type sceneRooms struct {
	scenes   *scene.Service
	profiles *profile.Service
	builder  *scene.Builder
	loop     *feedback.Scenes
	seen     *scene.Sightings
}

// heard gives what an agent reported to everyone who learns from it.
type heard struct {
	windows *telemetry.Windows
	seen    *scene.Sightings
}

// Ingest implements agentapi.Reports.
func (h heard) Ingest(src telemetry.Source, r *gear.Report, now time.Time) {
	h.seen.Observe(src.App, r.Calls)
	h.windows.Ingest(src, r, now)
}

// runScenes wires scenes, profiles and tables, and regulates while this replica
// holds the lease.
func (a *App) runScenes(holder string) {
	r := &a.scene
	r.seen = scene.NewSightings(a.clock.Now, nil)
	tables := &tableCache{store: a.db}
	r.loop = feedback.NewScenes(feedback.ScenesConfig{
		Windows: a.windows, Claims: a.claims, Orders: a.publisher.inForce, Now: a.clock.Now, Log: a.log,
		Standing: func(ctx context.Context) ([]*control.Claim, error) { return a.db.ClaimsAt(ctx, a.clock.Now()) },
		Scenes:   a.db.ListScenes, Table: tables.newest, Settings: feedback.DefaultScene,
	})
	r.builder = scene.NewBuilder(scene.BuilderConfig{
		Scenes: a.db.ListScenes, Profiles: a.db, Tables: a.db, Levels: a.publisher.levels, Now: a.clock.Now, Log: a.log,
	})
	r.scenes = scene.NewService(a.db, declared{a}, nil, r.loop.Nudge)
	r.profiles = profile.NewService(a.db, a.clock.Now, nil)
	keeper := lease.New(lease.Config{
		Store: a.db, Clock: a.db, Name: scenesLease, Holder: holder, TTL: a.cfg.Lease.TTL, Wall: a.wall, Log: a.log,
		Lead: func(ctx context.Context, _ lease.Lease) {
			var all sync.WaitGroup
			all.Go(func() { r.builder.Run(ctx) })
			all.Go(func() { r.loop.Run(ctx) })
			all.Wait()
		},
	})
	a.loops.Go(func() { keeper.Run(a.run) })
}

// Scenes gives the doors through which the sample engine seeds its scenes.
func (a *App) Scenes() (*scene.Service, *profile.Service) { return a.scene.scenes, a.scene.profiles }

// declared asks the fleet which points there are.
type declared struct{ app *App }

// Declares implements scene.Points.
func (d declared) Declares(app, point string) bool {
	all := d.app.fleet.Declared(app)
	for _, x := range all {
		if x.Point == point {
			return true
		}
	}
	return len(all) == 0
}

// levels tells which level tables the orders of a scene name.
func (p *publisher) levels(name string) map[scene.Place]scene.Level {
	out := map[scene.Place]scene.Level{}
	own := map[scene.Place]bool{}
	for _, x := range p.inForce() {
		for i := range x.Set.Orders {
			o := &x.Set.Orders[i]
			at := scene.Place{App: x.App, Point: o.Point}
			if o.Bucket != gear.Any || o.Scene != name && (o.Scene != gear.Any || own[at]) {
				continue
			}
			own[at] = o.Scene == name
			out[at] = scene.Level{Table: o.Table, Min: o.MinLevel, Max: o.MaxLevel}
		}
	}
	return out
}

// tableCache keeps each scene's newest table unpacked: half a megabyte of JSON is
// not read every second.
type tableCache struct {
	store allocation.Store

	mu   sync.Mutex
	kept map[string]*allocation.Version
}

// newest gives the table of a scene in an IDC: the IDC's own, else that of all.
func (c *tableCache) newest(ctx context.Context, name, idc string) (*allocation.Version, error) {
	for _, at := range []string{idc, gear.Any} {
		infos, err := c.store.ListAllocations(ctx, name, at, 1)
		if err != nil {
			return nil, err
		}
		if len(infos) == 0 {
			continue
		}
		c.mu.Lock()
		v := c.kept[name+"/"+at]
		c.mu.Unlock()
		if v != nil && v.ID == infos[0].ID {
			return v, nil
		}
		v, err = c.store.GetAllocation(ctx, name, at, infos[0].Number)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.mu.Lock()
		if c.kept == nil {
			c.kept = map[string]*allocation.Version{}
		}
		c.kept[name+"/"+at] = v
		c.mu.Unlock()
		return v, nil
	}
	return nil, nil
}

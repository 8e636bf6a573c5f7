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
	learner  *profile.Learner
	keeper   *profile.Keeper
}

// heard gives what an agent reported to everyone who learns from it.
type heard struct {
	windows *telemetry.Windows
	seen    *scene.Sightings
	learner *profile.Learner
	rows    *tableSizes
}

func (a *App) heard() heard {
	return heard{a.windows, a.scene.seen, a.scene.learner, &tableSizes{inForce: a.publisher.inForce}}
}

// Ingest implements agentapi.Reports.
func (h heard) Ingest(src telemetry.Source, r *gear.Report, now time.Time) {
	h.seen.Observe(src.App, r.Calls)
	for i := range r.Levels {
		x := &r.Levels[i]
		h.learner.Observe(profile.Observation{
			Key:   profile.Key{App: src.App, Point: x.Point, Scene: x.Scene, Table: x.Table},
			Class: x.Class, Level: x.Level, Of: h.rows.of(x.Table), Count: x.Count, RT: x.RT, Value: x.Value,
			Worked: x.Worked, Work: x.CPU, Effect: x.Effect, Taken: float64(x.Taken), TakenMax: float64(x.TakenMax), Output: float64(x.Output), At: now,
		})
	}
	h.windows.Ingest(src, r, now)
}

// tableSizes tells how many levels a table has that some order names. A hash never
// names another table.
type tableSizes struct {
	inForce func() []*control.Shift

	mu     sync.Mutex
	known  map[string]int
	looked time.Time
}

func (t *tableSizes) of(hash string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, ok := t.known[hash]; ok {
		return n
	}
	now := time.Now()
	if now.Sub(t.looked) < time.Second { // tables that nobody orders any more are not sought with each report
		return 0
	}
	t.looked, t.known = now, map[string]int{}
	for _, x := range t.inForce() {
		for i := range x.Tables {
			t.known[x.Tables[i].Hash] = len(x.Tables[i].Rows)
		}
	}
	return t.known[hash]
}

// runScenes wires scenes, profiles and tables, and regulates while this replica
// holds the lease.
func (a *App) runScenes(holder string) {
	r := &a.scene
	r.seen = scene.NewSightings(a.clock.Now, func(p scene.Place) (bool, bool) { return r.learner.Results(p.App, p.Point) })
	r.learner = profile.NewLearner()
	tables := &tableCache{store: a.db}
	own := &ownLevels{publisher: a.publisher, templates: a.db}
	r.loop = feedback.NewScenes(feedback.ScenesConfig{
		Windows: a.windows, Claims: a.claims, Orders: a.publisher.inForce, Now: a.clock.Now, Log: a.log,
		Standing: func(ctx context.Context) ([]*control.Claim, error) { return a.db.ClaimsAt(ctx, a.clock.Now()) },
		Scenes:   a.db.ListScenes, Table: tables.newest, Own: own.of, Settings: feedback.DefaultScene,
	})
	r.builder = scene.NewBuilder(scene.BuilderConfig{
		Scenes: a.db.ListScenes, Profiles: a.db, Tables: a.db, Levels: func(name string) map[scene.Place]scene.Level { return a.publisher.levels(name, own.of) },
		Now: a.clock.Now, Log: a.log,
	})
	r.scenes = scene.NewService(a.db, declared{a}, nil, r.loop.Nudge)
	r.profiles = profile.NewService(a.db, a.clock.Now, nil)
	r.keeper = profile.NewKeeper(profile.KeeperConfig{Learner: r.learner, Store: a.db, Service: r.profiles, Now: a.clock.Now, Log: a.log})
	keeper := lease.New(lease.Config{
		Store: a.db, Clock: a.db, Name: scenesLease, Holder: holder, TTL: a.cfg.Lease.TTL, Wall: a.wall, Log: a.log,
		Lead: func(ctx context.Context, _ lease.Lease) {
			var all sync.WaitGroup
			all.Go(func() { r.builder.Run(ctx) })
			all.Go(func() { r.loop.Run(ctx) })
			all.Go(func() { r.keeper.Run(ctx) })
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

// levels tells which level tables the orders of a scene name, and which levels they
// may be given.
func (p *publisher) levels(name string, ownLevel func(*gear.Order) int) map[scene.Place]scene.Level {
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
			v := scene.Level{Table: o.Table, Min: o.MinLevel, Max: o.MaxLevel, Crowds: o.Strategy == gear.StrategyCrowdRT}
			if v.Crowds { // rows are of levels that crowds will be given
				v.Max = feedback.CapOf(v.Max, ownLevel(o), v.Min, v.Max)
			}
			out[at] = v
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

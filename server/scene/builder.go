package scene

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/profile"
)

const (
	// BuildTick is how often the builder looks whether a table is due.
	BuildTick = 5 * time.Second
	// KeepTables is how many versions of a scene's table are kept: half a day of
	// builds every ten minutes.
	KeepTables = 72
	builder    = "system:allocation"
)

// Level is the level table in force at a place, the levels it allows, and whether
// crowds regulate there.
type Level struct {
	Table    string // hash
	Min, Max int    // 0 for all
	Crowds   bool
}

// BuilderConfig wires a Builder.
type BuilderConfig struct {
	Scenes   func(ctx context.Context) ([]*Scene, error)
	Profiles profile.Store
	Tables   allocation.Store
	// Levels tells what is in force at a scene's places; a place without orders is
	// not in it.
	Levels   func(scene string) map[Place]Level
	Schedule allocation.Schedule
	Now      func() time.Time
	Log      *slog.Logger
}

// Builder builds allocation tables when allocation's schedule says so, or at once
// when somebody asks. Run it on one replica at a time.
type Builder struct {
	cfg BuilderConfig

	building chan struct{} // holds one while a table is built: it is a core's work
	failed   map[string]time.Time
	inputs   map[string]built

	mu       sync.Mutex // readers do not wait for a build
	standing map[string]Readiness
}

// built is what a scene's newest table was made of, by the hash that the table
// carries: another replica's build, or one before a restart, is not known.
type built struct {
	hash  string
	input *allocation.Input
}

// Readiness tells how a scene stands with its table.
type Readiness struct {
	Missing []Missing // points without a usable profile
	Stale   []Stale
	Served  []Served
	Reason  string // why it was, or was not, built
}

// Stale is a profile that is used though it may no longer say what is true.
type Stale struct {
	Place  Place
	Reason string
}

// Served says which profile speaks for a place.
type Served struct {
	Place   Place
	Profile string // its ID
}

// NewBuilder makes a builder.
func NewBuilder(cfg BuilderConfig) *Builder {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Schedule == (allocation.Schedule{}) {
		cfg.Schedule = allocation.DefaultSchedule
	}
	return &Builder{cfg: cfg, building: make(chan struct{}, 1), failed: map[string]time.Time{}, standing: map[string]Readiness{}, inputs: map[string]built{}}
}

// Run builds what is due until ctx ends.
func (b *Builder) Run(ctx context.Context) {
	tick := time.NewTicker(BuildTick)
	defer tick.Stop()
	said := ""
	for {
		err := b.Turn(ctx)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			b.cfg.Log.Error("allocation tables are not built", "error", err)
		}
		said = ""
		if err != nil {
			said = err.Error()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Turn builds every table that is due.
func (b *Builder) Turn(ctx context.Context) error {
	scenes, err := b.cfg.Scenes(ctx)
	if err != nil {
		return err
	}
	if err := b.forget(ctx, scenes); err != nil {
		return err
	}
	var all error
	for _, s := range scenes {
		if len(s.Graph.Nodes) == 0 {
			continue
		}
		if _, err := b.build(ctx, s, "", audit.Change{Actor: builder, Via: "loop"}); err != nil && !fault.Is(err, fault.Conflict) {
			all = errors.Join(all, fmt.Errorf("scene %s: %w", s.Name, err))
		}
	}
	return all
}

// enter waits for the build under way, for as long as ctx lasts.
func (b *Builder) enter(ctx context.Context) error {
	select {
	case b.building <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the build of another table: %w", ctx.Err())
	}
}

func (b *Builder) leave() { <-b.building }

// forget drops what is known of scenes that are gone.
func (b *Builder) forget(ctx context.Context, scenes []*Scene) error {
	if err := b.enter(ctx); err != nil {
		return err
	}
	defer b.leave()
	there := map[string]bool{}
	for _, s := range scenes {
		there[s.Name] = true
	}
	maps.DeleteFunc(b.failed, func(name string, _ time.Time) bool { return !there[name] })
	maps.DeleteFunc(b.inputs, func(name string, _ built) bool { return !there[name] })
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.standing, func(name string, _ Readiness) bool { return !there[name] })
	return nil
}

// Rebuild builds a scene's table now, whatever the schedule says.
func (b *Builder) Rebuild(ctx context.Context, s *Scene, c audit.Change) (*allocation.Version, error) {
	return b.build(ctx, s, "asked for by "+gear.Shown(c.Actor), c)
}

// Readiness tells how a scene stood at the last look.
func (b *Builder) Readiness(scene string) Readiness {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.standing[scene]
}

func (b *Builder) stand(scene string, r Readiness) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.standing[scene] = r
}

func (b *Builder) build(ctx context.Context, s *Scene, cause string, c audit.Change) (*allocation.Version, error) {
	if err := b.enter(ctx); err != nil {
		return nil, err
	}
	defer b.leave()
	now := b.cfg.Now()
	old, err := b.cfg.Tables.GetAllocation(ctx, s.Name, gear.Any, 0)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	in, info, ready, err := b.input(ctx, s, now)
	if err != nil {
		return nil, err
	}
	b.stand(s.Name, ready)
	defer func() { b.stand(s.Name, ready) }()
	if in == nil {
		ready.Reason = fmt.Sprintf("%d points have no usable profile", len(ready.Missing))
		var ps gear.Problems
		for _, m := range ready.Missing {
			ps.Add("graph.nodes."+m.Node, gear.CodeRequired, m.Place.String()+": "+m.Reason)
		}
		e := fault.WithProblems(ps, "the table of scene %q cannot be built: %s", gear.Shown(s.Name), ready.Reason)
		e.Code = fault.Conflict
		return nil, e
	}
	hash := in.Hash()
	stood := allocation.Standing{Failed: b.failed[s.Name]}
	if old != nil {
		stood.Built, stood.SceneVersion, stood.InputHash, stood.At = true, old.SceneVersion, old.InputHash, old.At
		if hash == old.InputHash {
			stood.SceneVersion = s.Version // a new target alone makes no other table
		}
	}
	drift := 1.0 // without the old input at hand any other profile counts as moved
	if was := b.inputs[s.Name]; old != nil && was.hash == old.InputHash {
		drift = allocation.Drift(was.input, in)
	}
	due, why := b.cfg.Schedule.Rebuild(stood, s.Version, hash, drift, now)
	if ready.Reason = why; cause != "" {
		due, why = true, cause
	}
	if !due {
		return old, nil
	}
	began := time.Now()
	table, problems := allocation.Build(in)
	if len(problems) > 0 {
		b.failed[s.Name], ready.Reason = now, problems[0].Message
		return nil, fault.WithProblems(problems, "the table of scene %q cannot be built", gear.Shown(s.Name))
	}
	info.Scene, info.IDC, info.SceneVersion, info.InputHash = s.Name, gear.Any, s.Version, hash
	info.Cause, info.Took, info.By = why, time.Since(began), c.Actor
	v := &allocation.Version{Info: info, Table: *table}
	v.Describe()
	if c.Reason == "" {
		c.Reason = why
	}
	if err := b.cfg.Tables.SaveAllocation(ctx, v, KeepTables, c); err != nil {
		b.failed[s.Name] = now
		return nil, err
	}
	delete(b.failed, s.Name)
	b.inputs[s.Name] = built{hash, in}
	b.cfg.Log.Info("allocation table built", "scene", s.Name, "number", v.Number, "took", info.Took, "cause", why)
	return v, nil
}

// Input makes what a build of the scene would start from; nil with what is
// missing when it could not.
func (b *Builder) input(ctx context.Context, s *Scene, now time.Time) (*allocation.Input, allocation.Info, Readiness, error) {
	var info allocation.Info
	var ready Readiness
	found := map[string][]*profile.Profile{}
	for i := range s.Graph.Nodes {
		app := s.Graph.Nodes[i].Place.App
		if _, read := found[app]; read {
			continue
		}
		items, err := profile.All(ctx, b.cfg.Profiles, profile.Filter{App: app})
		if err != nil {
			return nil, info, ready, err
		}
		found[app] = items // of an app without profiles, too, they are read once
	}
	levels := b.cfg.Levels(s.Name)
	in, missing, problems := s.Input(func(p Place) *profile.Profile {
		x := profile.Best(found[p.App], p.App, p.Point, s.Name, levels[p].Table, now)
		if x == nil {
			return nil
		}
		ready.Served = append(ready.Served, Served{p, x.ID})
		if stale, why := x.Stale(levels[p].Table, now); stale {
			ready.Stale = append(ready.Stale, Stale{p, why})
		}
		if info.Oldest.IsZero() || x.MeasuredAt.Before(info.Oldest) {
			info.Oldest = x.MeasuredAt
		}
		if x.Source == profile.Learned {
			info.Learned++
		}
		return x
	}, func(p Place) Level { return levels[p] })
	ready.Missing = missing
	if len(problems) > 0 {
		return nil, info, ready, fault.WithProblems(problems, "the scene %q gives no sound input for a table", gear.Shown(s.Name))
	}
	return in, info, ready, nil
}

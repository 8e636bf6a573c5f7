package feedback

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/telemetry"
)

const (
	// Tick is how often the loop looks for points that are due.
	Tick = time.Second
	// Hold is how long a level claim of the loop lasts, if the loop dies and no
	// replica takes over. It is much longer than an interval on purpose: a renewal
	// is a row in the audit log, and a point that holds its level should cost less
	// than two of them an hour. While somebody leads, claims end with their strategy.
	Hold = time.Hour
	// renewBefore is what is left of a claim when it is renewed.
	renewBefore = Hold / 3

	// Origin marks the claims of this loop.
	Origin = "feedback:central"
	// Actor signs them.
	Actor = "system:feedback"
)

// Windows are the live measurements.
type Windows interface {
	Points(f telemetry.Filter, now time.Time) []telemetry.Point
	// Buckets gives what was measured of one bucket, where orders divide traffic.
	Buckets(f telemetry.Filter, bucket string, now time.Time) []telemetry.Point
}

// Claims is control's door.
type Claims interface {
	Set(ctx context.Context, c *control.Claim, ch audit.Change) (*control.Claim, error)
	Extend(ctx context.Context, id string, version int64, end time.Time, ch audit.Change) (*control.Claim, error)
	Release(ctx context.Context, id string, version int64, ch audit.Change) (*control.Claim, error)
}

// Config wires a Loop.
type Config struct {
	Windows Windows
	Claims  Claims
	// Orders gives the shift in force of every app x IDC, with its tables.
	Orders func() []*control.Shift
	// Standing gives the claims that are active.
	Standing func(ctx context.Context) ([]*control.Claim, error)
	// Now is reference time.
	Now func() time.Time
	Log *slog.Logger
}

// Loop runs the central rule for every point that is ordered to be regulated so.
// Run it on one replica at a time.
//
// It remembers nothing that a successor would miss: the level is in the order,
// and what this loop claimed is told by Origin.
type Loop struct {
	cfg  Config
	due  map[control.Scope]time.Time
	said map[control.Scope]string
}

// NewLoop makes a loop.
func NewLoop(cfg Config) *Loop {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Loop{cfg: cfg, due: map[control.Scope]time.Time{}, said: map[control.Scope]string{}}
}

// Run works until ctx ends.
func (l *Loop) Run(ctx context.Context) {
	tick := time.NewTicker(Tick)
	defer tick.Stop()
	failed := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := l.Turn(ctx)
			switch {
			case ctx.Err() != nil:
			case err == nil:
				failed = ""
			case err.Error() != failed: // a database that is away is said once
				failed = err.Error()
				l.cfg.Log.Error("central regulation", "error", err)
			}
		}
	}
}

// place is one order of strategy central.
type place struct {
	scope control.Scope
	order *gear.Order
	shift *control.Shift
}

// work finds the work factors of the order's levels.
func (p *place) work() []float64 {
	for i := range p.shift.Tables {
		if t := &p.shift.Tables[i]; t.Hash == p.order.Table {
			return t.Work
		}
	}
	return nil
}

// Turn judges every central point whose interval is over, and releases claims of
// points that are central no longer. The first error is returned; others points
// have been looked after all the same.
func (l *Loop) Turn(ctx context.Context) error {
	now := l.cfg.Now()
	places := map[control.Scope]place{}
	for _, x := range l.cfg.Orders() {
		for i := range x.Set.Orders {
			o := &x.Set.Orders[i]
			if o.Strategy != gear.StrategyCentral || o.AvailableRT <= 0 {
				continue
			}
			s := control.Scope{Scene: o.Scene, IDC: x.IDC, App: x.App, Point: o.Point, Bucket: o.Bucket}
			places[s] = place{s, o, x}
		}
	}
	for s := range l.due {
		if _, ok := places[s]; !ok {
			delete(l.due, s)
			delete(l.said, s)
		}
	}
	standing, err := l.cfg.Standing(ctx)
	if err != nil {
		return err
	}
	mine := map[control.Scope]*control.Claim{}
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, c := range standing {
		if c.Origin != Origin || !c.Active(now) {
			continue
		}
		if _, ok := places[c.Scope]; !ok {
			_, err := l.cfg.Claims.Release(ctx, c.ID, 0, change("the point is not regulated centrally any more"))
			keep(err)
			continue
		}
		if old := mine[c.Scope]; old != nil { // a release failed, or two replicas led for a moment
			if old.CreatedAt.After(c.CreatedAt) {
				old, c = c, old
			}
			_, err := l.cfg.Claims.Release(ctx, old.ID, 0, change("a newer one stands"))
			keep(err)
		}
		mine[c.Scope] = c
	}
	inOrder := func(a, b control.Scope) int { return cmp.Compare(a.String(), b.String()) }
	for _, s := range slices.SortedFunc(maps.Keys(places), inOrder) { // the journal tells it alike each time
		p := places[s]
		if p.order.Pinned && planned(standing, &p, now) {
			keep(l.follow(ctx, p, mine[s], now))
			continue
		}
		set := SettingsOf(p.order, p.work()...)
		at, ok := l.due[s]
		if !ok { // whoever takes over lets a whole window pass first
			l.due[s] = now.Add(set.Interval)
			continue
		}
		if now.Before(at) {
			continue
		}
		l.due[s] = now.Add(set.Interval)
		keep(l.judge(ctx, p, set, mine[s], now))
	}
	return first
}

// judge runs the rule on one point.
func (l *Loop) judge(ctx context.Context, p place, set Settings, claim *control.Claim, now time.Time) error {
	renew := func() error {
		if claim == nil || claim.End.Sub(now) > renewBefore {
			return nil
		}
		_, err := l.cfg.Claims.Extend(ctx, claim.ID, 0, now.Add(Hold), change("it still holds"))
		return err
	}
	if p.order.Pinned {
		return renew() // somebody decides by hand; measurements under their level say nothing of ours
	}
	_, level, reason := Central(State{Level: p.order.Level}, l.sample(p, now), set)
	if l.said[p.scope] != reason {
		l.said[p.scope] = reason
		l.cfg.Log.Debug("central", "point", p.scope.String(), "reason", reason)
	}
	if level == p.order.Level {
		return renew()
	}
	return l.claim(ctx, p, claim, level, reason, now)
}

// claim puts a level in the place of the one claimed before.
func (l *Loop) claim(ctx context.Context, p place, old *control.Claim, level int, reason string, now time.Time) error {
	_, err := l.cfg.Claims.Set(ctx, &control.Claim{
		Field: control.FieldLevel, Scope: p.scope, Level: level, Source: control.SourceFeedback, Origin: Origin,
		Reason: reason, End: now.Add(Hold),
	}, change(reason))
	if err != nil || old == nil {
		return err
	}
	// The new one stands already: at no moment does the point fall back to the
	// template's level.
	_, err = l.cfg.Claims.Release(ctx, old.ID, 0, change("replaced: "+reason))
	return err
}

// follow keeps the loop's own level where a plan holds the point, so that the
// plan's end is no jump: automatic gears rise from there as load falls, at the
// rule's pace. A level that a person holds is not followed: who lets it go wants
// back what was before.
func (l *Loop) follow(ctx context.Context, p place, claim *control.Claim, now time.Time) error {
	// A whole window is to pass after the plan's end.
	l.due[p.scope] = now.Add(SettingsOf(p.order).Interval)
	if claim != nil && claim.Level == p.order.Level && claim.End.Sub(now) > renewBefore {
		return nil
	}
	return l.claim(ctx, p, claim, p.order.Level, "goes on from the level that a plan holds", now)
}

// planned tells whether it is a plan that holds the point's level.
func planned(standing []*control.Claim, p *place, now time.Time) bool {
	found := false
	for _, c := range standing {
		if c.Field != control.FieldLevel || !c.Active(now) || !c.Scope.Matches(p.scope) {
			continue
		}
		if c.Source == control.SourceManual {
			return false
		}
		found = found || c.Source == control.SourcePlan
	}
	return found
}

func change(reason string) audit.Change {
	return audit.Change{Actor: Actor, Via: "loop", Reason: reason}
}

// sample adds up the last ten seconds of every scene that the order serves; of a
// bucket the last twenty, which agents report every five.
func (l *Loop) sample(p place, now time.Time) Sample {
	f := telemetry.Filter{IDC: p.scope.IDC, App: p.scope.App, Point: p.scope.Point}
	if p.scope.Scene != gear.Any {
		f.Scene = p.scope.Scene
	}
	var in Sample
	var rt, level float64
	points := l.cfg.Windows.Points(f, now)
	if p.scope.Bucket != gear.Any {
		points = l.cfg.Windows.Buckets(f, p.scope.Bucket, now)
	}
	for _, x := range points {
		if x.Recent == nil || p.scope.Scene == gear.Any && x.Scene != gear.Any && own(&p.shift.Set, x.Scene, x.Key.Point) {
			continue
		}
		n := float64(x.Recent.Count)
		in.Count += x.Recent.Count
		rt += n * float64(x.Recent.Mean) / float64(time.Microsecond)
		level += n * x.Recent.LevelMean
	}
	if in.Count > 0 {
		in.MeanRT, in.Level = rt/float64(in.Count), level/float64(in.Count)
	}
	return in
}

// own tells whether a scene has orders of its own, so that the default's level is
// not what it runs at.
func own(set *gear.OrderSet, scene, point string) bool {
	for i := range set.Orders {
		if o := &set.Orders[i]; o.Scene == scene && o.Point == point {
			return true
		}
	}
	return false
}

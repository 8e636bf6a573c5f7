package feedback

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/scene"
)

// SceneOrigin begins the Origin of every claim that regulation of a scene makes; the
// scene's name follows.
const SceneOrigin = "scene:"

// SceneClaims is control's door, for several claims at once.
type SceneClaims interface {
	Claims
	SetAll(ctx context.Context, cs []*control.Claim, ch audit.Change) ([]*control.Claim, error)
}

// ScenesConfig wires Scenes.
type ScenesConfig struct {
	Windows  Windows
	Claims   SceneClaims
	Orders   func() []*control.Shift // in force
	Standing func(ctx context.Context) ([]*control.Claim, error)
	Scenes   func(ctx context.Context) ([]*scene.Scene, error)
	// Table gives the newest table that serves a scene in an IDC, nil without one.
	Table func(ctx context.Context, scene, idc string) (*allocation.Version, error)
	// Own tells the level that an order's template has by itself; 0 where it is not known.
	Own      func(*gear.Order) int
	Now      func() time.Time
	Settings SceneSettings
	Log      *slog.Logger
}

// Scenes regulates the response time of scenes, each in each IDC by itself. Run it
// on one replica at a time. It owns no rule: StepScene thinks, Preset looks up.
type Scenes struct {
	cfg   ScenesConfig
	nudge chan struct{}
	links map[link]*regulated // of the goroutine that runs
	said  map[string]string   // what was last logged of a scene

	mu   sync.Mutex
	seen []LinkStatus
}

// link is a scene in an IDC.
type link struct{ scene, idc string }

// regulated is one link under regulation.
type regulated struct {
	state  SceneState
	meter  meter
	shares []Share
	row    allocation.Row
	table  int
	shadow bool // feedback's claims under a preset are still to be written
	retry  Action
}

// LinkStatus is how a scene stands in an IDC.
type LinkStatus struct {
	Scene, IDC string
	State      SceneState
	Steps      int         // of the RT gear below what is wished, itself included
	Sample     LayerSample // of the front end, since the last change settled
	Clamped    bool        // the target lies outside the table
	Table      int         // number of the allocation table; 0 without one
	Row        int         // its row, ms
	Shares     []Share
	Trouble    string // what keeps it from being regulated
}

// NewScenes makes a loop of scenes.
func NewScenes(cfg ScenesConfig) *Scenes {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Own == nil {
		cfg.Own = func(*gear.Order) int { return 0 }
	}
	return &Scenes{cfg: cfg, nudge: make(chan struct{}, 1), links: map[link]*regulated{}, said: map[string]string{}}
}

// Nudge asks for a look now. It never blocks.
func (l *Scenes) Nudge() {
	select {
	case l.nudge <- struct{}{}:
	default:
	}
}

// Status tells how every regulated link stands; nothing on a replica that does not
// regulate.
func (l *Scenes) Status() []LinkStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

// Run works until ctx ends.
func (l *Scenes) Run(ctx context.Context) {
	tick := time.NewTicker(Tick)
	defer tick.Stop()
	clear(l.links) // what another replica decided meanwhile is read out of its claims
	defer func() {
		l.mu.Lock()
		l.seen = nil
		l.mu.Unlock()
	}()
	failed := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-l.nudge:
		}
		err := l.Turn(ctx)
		switch {
		case ctx.Err() != nil:
		case err == nil:
			failed = ""
		case err.Error() != failed:
			failed = err.Error()
			l.cfg.Log.Error("scenes are not regulated as they should be", "error", err)
		}
	}
}

// Turn looks at every scene once. The first error is returned; other scenes have
// been looked after all the same.
func (l *Scenes) Turn(ctx context.Context) error {
	now := l.cfg.Now()
	scenes, err := l.cfg.Scenes(ctx)
	if err != nil {
		return err
	}
	standing, err := l.cfg.Standing(ctx)
	if err != nil {
		return err
	}
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	shifts := l.cfg.Orders()
	wanted := map[link]bool{}
	var seen []LinkStatus
	for _, s := range scenes {
		for _, idc := range idcsOf(s, shifts) {
			k := link{s.Name, idc}
			wanted[k] = true
			st, err := l.look(ctx, k, s, shifts, standing, now)
			keep(err)
			seen = append(seen, st)
		}
	}
	for k := range l.links {
		if !wanted[k] {
			delete(l.links, k)
			delete(l.said, k.scene+"/"+k.idc)
		}
	}
	keep(l.sweep(ctx, standing, scenes, now))
	l.mu.Lock()
	l.seen = seen
	l.mu.Unlock()
	return first
}

// idcsOf gives the IDCs where a scene's points have orders.
func idcsOf(s *scene.Scene, shifts []*control.Shift) []string {
	var out []string
	for _, x := range shifts {
		if slices.ContainsFunc(s.Graph.Nodes, func(n scene.Node) bool { return n.Place.App == x.App }) && !slices.Contains(out, x.IDC) {
			out = append(out, x.IDC)
		}
	}
	slices.Sort(out)
	return out
}

// sweep releases claims of scenes that are gone.
func (l *Scenes) sweep(ctx context.Context, standing []*control.Claim, scenes []*scene.Scene, now time.Time) error {
	var first error
	for _, c := range standing {
		if len(c.Origin) <= len(SceneOrigin) || c.Origin[:len(SceneOrigin)] != SceneOrigin || !c.Active(now) {
			continue
		}
		name := c.Origin[len(SceneOrigin):]
		if slices.ContainsFunc(scenes, func(s *scene.Scene) bool { return s.Name == name }) {
			continue
		}
		if _, err := l.cfg.Claims.Release(ctx, c.ID, 0, change("the scene is regulated no more")); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// look steps one link and writes what follows.
func (l *Scenes) look(ctx context.Context, k link, s *scene.Scene, shifts []*control.Shift, standing []*control.Claim, now time.Time) (LinkStatus, error) {
	status := LinkStatus{Scene: k.scene, IDC: k.idc}
	version, err := l.cfg.Table(ctx, k.scene, k.idc)
	if err != nil {
		status.Trouble = err.Error()
		return status, err
	}
	if version == nil || len(version.Table.Rows) == 0 {
		status.Trouble = "there is no allocation table yet"
		l.say(k, status.Trouble)
		return status, nil
	}
	t := &version.Table
	target := TargetOf(standing, s, k.idc, now)
	r := l.links[k]
	if r == nil {
		r = &regulated{state: recoverState(t, s, k, target, standing, now)}
		l.links[k] = r
	}
	ladder := steps(s, target)
	in := SceneSample{
		Target: target, Steps: len(ladder), First: float64(t.First), Last: float64(t.To),
		Ladder: func(step int) time.Duration { return ladder[min(max(step, 1), len(ladder))-1] },
	}
	if t.Slowest > 0 {
		in.Last = min(in.Last, math.Ceil(t.Slowest))
	}
	layers, _ := Layers(&s.Graph)
	r.meter.read(l.cfg.Windows, s, k.idc, layers, r.state.Changed.Add(l.cfg.Settings.Settle), now)
	in.Front, in.Calls = r.meter.samples(s, len(layers))

	set := l.cfg.Settings
	set.Preset = set.Preset && !s.FeedbackAlone
	set.Layer.Timeouts = s.MaxTimeouts
	next, act := StepScene(r.state, in, set, now)
	if !next.Judged.Equal(r.state.Judged) || !next.Changed.Equal(r.state.Changed) {
		r.meter.reset()
	}
	r.state = next
	if act == Nothing {
		act, r.retry = r.retry, Nothing
	}
	if act != Nothing || r.shares == nil {
		r.shares, r.row, status.Clamped = Preset(t, &s.Graph, next.Index, next.Scales())
		r.table = version.Number
	}
	l.say(k, next.Reason)
	if act != Nothing {
		l.cfg.Log.Info("scene", "scene", k.scene, "idc", k.idc, "phase", string(next.Phase), "reason", next.Reason)
	}
	err = l.act(ctx, k, r, act, shifts, standing, now)
	if err != nil {
		r.retry = act
		status.Trouble = err.Error()
	}
	status.State, status.Sample, status.Table, status.Row, status.Shares = r.state, in.Front, r.table, r.row.Target, r.shares
	status.Sample.Target, status.Steps = millis(next.Effective), len(ladder)
	status.Clamped = millis(next.Effective) < in.First || millis(next.Effective) > float64(t.To)
	return status, err
}

func (l *Scenes) say(k link, reason string) {
	if key := k.scene + "/" + k.idc; l.said[key] != reason {
		l.said[key] = reason
		l.cfg.Log.Debug("scene", "scene", k.scene, "idc", k.idc, "reason", reason)
	}
}

// act writes the claims of an action.
func (l *Scenes) act(ctx context.Context, k link, r *regulated, act Action, shifts []*control.Shift, standing []*control.Claim, now time.Time) error {
	orders := ordersOf(k, shifts)
	switch act {
	case Apply:
		r.shadow = true
		return l.write(ctx, k, control.SourcePreset, wishes(k, r.shares, orders, l.cfg.Own, true), r.state.Until, r.state.Reason, standing, now)
	case Correct, HandOver:
		r.shadow = false
		return l.write(ctx, k, control.SourceFeedback, append(wishes(k, r.shares, orders, l.cfg.Own, false), gearWish(k, &r.state)...), now.Add(Hold), r.state.Reason, standing, now)
	}
	if r.shadow { // were every controller to die while the preset is held, the same would go on
		r.shadow = false
		if err := l.write(ctx, k, control.SourceFeedback, append(wishes(k, r.shares, orders, l.cfg.Own, false), gearWish(k, &r.state)...), now.Add(Hold), r.state.Reason, standing, now); err != nil {
			r.shadow = true
			return err
		}
		return nil
	}
	return l.renew(ctx, k, standing, now)
}

// TargetOf resolves what a scene must answer in: the strongest claim of people,
// plans or presets, else the scene's own target. The RT gear's claim is feedback's
// and tells of the ladder, not of the wish.
func TargetOf(standing []*control.Claim, s *scene.Scene, idc string, now time.Time) time.Duration {
	var best *control.Claim
	for _, c := range standing {
		if c.Field != control.FieldTarget || c.Source >= control.SourceFeedback || !c.Active(now) ||
			!c.Scope.Matches(control.Scope{Scene: s.Name, IDC: idc, App: gear.Any, Point: gear.Any, Bucket: gear.Any}) {
			continue
		}
		if best == nil || c.Source < best.Source || c.Source == best.Source && (c.Scope.Specificity() > best.Scope.Specificity() ||
			c.Scope.Specificity() == best.Scope.Specificity() && c.CreatedAt.After(best.CreatedAt)) {
			best = c
		}
	}
	if best == nil {
		return s.Target
	}
	return best.Duration
}

// steps gives the effective target of each step of the RT gear: what is wished, then
// the steps of the ladder below it.
func steps(s *scene.Scene, target time.Duration) []time.Duration {
	out := []time.Duration{target}
	for _, d := range s.Ladder {
		if d < target {
			out = append(out, d)
		}
	}
	return out
}

func sceneReason(k link, reason string) string {
	out := fmt.Sprintf("%s in %s: %s", k.scene, k.idc, reason)
	return out[:min(len(out), control.MaxReason)]
}

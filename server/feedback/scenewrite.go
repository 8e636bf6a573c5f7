package feedback

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/scene"
)

// ordersOf gives what a scene's points obey in an IDC: the scene's own order, else
// that of all scenes.
func ordersOf(k link, shifts []*control.Shift) map[scene.Place]*gear.Order {
	out := map[scene.Place]*gear.Order{}
	for _, x := range shifts {
		if x.IDC != k.idc {
			continue
		}
		for i := range x.Set.Orders {
			o := &x.Set.Orders[i]
			if o.Bucket != gear.Any || o.Scene != k.scene && o.Scene != gear.Any {
				continue
			}
			p := scene.Place{App: x.App, Point: o.Point}
			if old := out[p]; old == nil || old.Scene == gear.Any {
				out[p] = o
			}
		}
	}
	return out
}

// wishes turns shares into claims that the points' strategies obey: the same under a
// preset and under feedback, but for the level of central points, which is their own
// loop's once the preset is over. own tells the level of a point's template.
func wishes(k link, shares []Share, orders map[scene.Place]*gear.Order, own func(*gear.Order) int, preset bool) []*control.Claim {
	var out []*control.Claim
	for i := range shares {
		s := &shares[i]
		o := orders[s.Place]
		if o == nil {
			continue
		}
		claim := func(f control.Field) *control.Claim {
			c := &control.Claim{Field: f, Scope: control.Scope{Scene: k.scene, IDC: k.idc, App: s.Place.App, Point: s.Place.Point, Bucket: gear.Any}}
			out = append(out, c)
			return c
		}
		if o.Strategy == gear.StrategyExternalTimeout {
			if s.Timeout > 0 {
				claim(control.FieldTimeout).Duration = min(max(s.Timeout, control.MinSetpoint), control.MaxSetpoint)
			}
			continue
		}
		crowds, central := o.Strategy == gear.StrategyCrowdRT, o.Strategy == gear.StrategyCentral
		if (crowds || central) && s.AvailableRT > 0 {
			claim(control.FieldAvailableRT).Duration = min(max(s.AvailableRT, control.MinSetpoint), control.MaxSetpoint)
		}
		switch {
		case s.Level <= 0 || central && !preset:
		case crowds:
			claim(control.FieldLevel).Level = CapOf(s.Level, own(o), o.MinLevel, o.MaxLevel)
		default:
			claim(control.FieldLevel).Level = min(max(s.Level, o.MinLevel), o.MaxLevel)
		}
	}
	return out
}

// gearWish shows the RT gear's step while it is not at the scene's own target.
func gearWish(k link, s *SceneState) []*control.Claim {
	if s.Gear.Step <= 1 {
		return nil
	}
	return []*control.Claim{{
		Field: control.FieldTarget, Duration: s.Effective,
		Scope: control.Scope{Scene: k.scene, IDC: k.idc, App: gear.Any, Point: gear.Any, Bucket: gear.Any},
	}}
}

// same tells whether a claim says what is wished. Times within one percent are the
// same: the loop inside does not hold them closer.
func same(a, b *control.Claim) bool {
	if a.Field != b.Field || a.Scope != b.Scope || a.Level != b.Level {
		return false
	}
	x, y := float64(a.Duration), float64(b.Duration)
	return math.Abs(x-y) <= 0.01*max(x, y)
}

// write makes the claims of one source say what is wished: what already stands
// stays, what is new is set, and only then what is wished no more is released, so
// that no place falls back in between.
func (l *Scenes) write(ctx context.Context, k link, source control.Source, wished []*control.Claim, end time.Time, reason string, standing []*control.Claim, now time.Time) error {
	var stale []*control.Claim
	kept := map[int]bool{}
	for _, c := range standing {
		if c.Origin != SceneOrigin+k.scene || c.Scope.IDC != k.idc || c.Source != source || !c.Active(now) {
			continue
		}
		found := false
		for i, w := range wished {
			if !kept[i] && same(c, w) && (source != control.SourcePreset || c.End.Sub(end).Abs() < time.Second) {
				kept[i], found = true, true
				break
			}
		}
		if !found {
			stale = append(stale, c)
		}
	}
	reason = sceneReason(k, reason)
	var fresh []*control.Claim
	for i, w := range wished {
		if !kept[i] {
			w.Source, w.Origin, w.Reason, w.End = source, SceneOrigin+k.scene, reason, end
			fresh = append(fresh, w)
		}
	}
	if len(fresh) > 0 {
		if _, err := l.cfg.Claims.SetAll(ctx, fresh, change(reason)); err != nil {
			return err
		}
	}
	var first error
	for _, c := range stale {
		if _, err := l.cfg.Claims.Release(ctx, c.ID, 0, change("replaced: "+reason)); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// renew moves the end of feedback's claims that still hold.
func (l *Scenes) renew(ctx context.Context, k link, standing []*control.Claim, now time.Time) error {
	var first error
	for _, c := range standing {
		if c.Origin != SceneOrigin+k.scene || c.Scope.IDC != k.idc || c.Source != control.SourceFeedback || !c.Active(now) || c.End.Sub(now) > renewBefore {
			continue
		}
		if _, err := l.cfg.Claims.Extend(ctx, c.ID, 0, now.Add(Hold), change("it still holds")); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// recoverState reads out of the standing claims where whoever regulated before
// stood, so that a change of the lease moves nothing.
func recoverState(t *allocation.Table, s *scene.Scene, k link, target time.Duration, standing []*control.Claim, now time.Time) SceneState {
	var preset, feedback []*control.Claim
	step, ladder := 1, steps(s, target)
	for _, c := range standing {
		if c.Origin != SceneOrigin+k.scene || c.Scope.IDC != k.idc || !c.Active(now) {
			continue
		}
		switch {
		case c.Field == control.FieldTarget:
			step = max(slices.Index(ladder, c.Duration)+1, 1)
		case c.Source == control.SourcePreset:
			preset = append(preset, c)
		case c.Source == control.SourceFeedback:
			feedback = append(feedback, c)
		}
	}
	held := preset
	if len(held) == 0 {
		held = feedback
	}
	eff := ladder[step-1]
	index, ok := Recover(t, held)
	if !ok {
		return SceneState{}
	}
	scale := index / millis(eff)
	if scale < DefaultLayer.Floor || scale > DefaultLayer.Ceiling {
		return SceneState{} // of another target: begin anew
	}
	out := SceneState{
		Target: target, Effective: eff, Gear: AtStep(step), Front: Scaled(scale), Phase: PhaseFeedback, Since: now, Changed: now, Judged: now,
		Index: index, Reason: "taken over as it stood",
	}
	if len(preset) > 0 {
		out.Phase, out.Until = PhasePreset, preset[0].End
	}
	return out
}

// Recover finds the row that claims were read from.
func Recover(t *allocation.Table, held []*control.Claim) (index float64, ok bool) {
	best := math.Inf(1)
	for i := range t.Rows {
		row := &t.Rows[i]
		far, n := 0.0, 0
		for _, c := range held {
			k := t.Point(c.Scope.App + "/" + c.Scope.Point)
			switch {
			case k == allocation.None:
			case c.Field == control.FieldAvailableRT && row.Points[k].Setpoint > 0:
				d := math.Log(millis(c.Duration) / row.Points[k].Setpoint)
				far, n = far+d*d, n+1
			case c.Field == control.FieldLevel:
				d := float64(c.Level-row.Points[k].Level) / 20
				far, n = far+d*d, n+1
			}
		}
		if n > 0 && far < best {
			best, index, ok = far, float64(row.Target), true
		}
	}
	return index, ok
}

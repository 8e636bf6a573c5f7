package feedback

import (
	"slices"
	"time"

	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/scene"
)

// Stand is what a scene had to answer in.
type Stand struct {
	Target    time.Duration // wished
	Effective time.Duration // Target, or that of the RT gear's step
	Step      int           // of the RT gear; 1 is the target itself
	Steps     int           // how many there were
}

// StandAt reads a scene's target and RT gear out of its claims at t: on any replica,
// and of the past as long as claims are kept. A gear's claim that is no step below
// the target is of a target before it, about to be replaced, and does not count.
func StandAt(claims []*control.Claim, s *scene.Scene, idc string, t time.Time) Stand {
	target := TargetOf(claims, s, idc, t)
	ladder := steps(s, target)
	out := Stand{Target: target, Effective: target, Step: 1, Steps: len(ladder)}
	var newest time.Time
	for _, c := range claims {
		if c.Field != control.FieldTarget || c.Source != control.SourceFeedback || c.Origin != SceneOrigin+s.Name ||
			c.Scope.IDC != idc || !c.Active(t) || c.CreatedAt.Before(newest) {
			continue
		}
		if i := slices.Index(ladder, c.Duration); i > 0 {
			out.Effective, out.Step, newest = c.Duration, i+1, c.CreatedAt
		}
	}
	return out
}

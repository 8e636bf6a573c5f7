package feedback_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
)

func TestAStandIsReadOutOfClaims(t *testing.T) {
	t0 := time.Unix(1_700_000_000, 0).UTC()
	minute := func(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }
	const ms = time.Millisecond
	s := &scene.Scene{}
	s.Name = "k2"
	s.Target, s.Ladder = 300*ms, []time.Duration{220 * ms, 160 * ms, 130 * ms}
	claim := func(source control.Source, origin, idc string, target time.Duration, from, to int) *control.Claim {
		return &control.Claim{
			Field: control.FieldTarget, Source: source, Origin: origin, Duration: target, Start: minute(from), CreatedAt: minute(from), End: minute(to),
			Scope: control.Scope{Scene: "k2", IDC: idc, App: "*", Point: "*", Bucket: "*"},
		}
	}
	claims := []*control.Claim{
		claim(control.SourceFeedback, "scene:k2", "sh", 220*ms, 10, 90), // released before its end
		claim(control.SourceFeedback, "scene:k2", "sh", 160*ms, 20, 30),
		claim(control.SourceFeedback, "scene:k2", "hz", 130*ms, 0, 90),
		claim(control.SourceFeedback, "scene:other", "sh", 130*ms, 0, 90),
		claim(control.SourceManual, "", "sh", 200*ms, 40, 50),
	}
	claims[0].Released = minute(20)
	claims[1].Released = minute(45) // after its end: it ended by itself
	for _, x := range []struct {
		at   int
		want feedback.Stand
	}{
		{5, feedback.Stand{Target: 300 * ms, Effective: 300 * ms, Step: 1, Steps: 4}},
		{10, feedback.Stand{Target: 300 * ms, Effective: 220 * ms, Step: 2, Steps: 4}},
		{20, feedback.Stand{Target: 300 * ms, Effective: 160 * ms, Step: 3, Steps: 4}},
		{30, feedback.Stand{Target: 300 * ms, Effective: 300 * ms, Step: 1, Steps: 4}},
		{40, feedback.Stand{Target: 200 * ms, Effective: 200 * ms, Step: 1, Steps: 3}},
		{50, feedback.Stand{Target: 300 * ms, Effective: 300 * ms, Step: 1, Steps: 4}},
	} {
		require.Equal(t, x.want, feedback.StandAt(claims, s, "sh", minute(x.at)), "minute %d", x.at)
	}

	// A gear of the target before is no step of this one.
	claims = append(claims, claim(control.SourceFeedback, "scene:k2", "sh", 220*ms, 41, 90))
	require.Equal(t, feedback.Stand{Target: 200 * ms, Effective: 200 * ms, Step: 1, Steps: 3}, feedback.StandAt(claims, s, "sh", minute(42)))
	// While one replaces another both stand: the newer counts.
	claims = append(claims, claim(control.SourceFeedback, "scene:k2", "sh", 160*ms, 60, 90))
	require.Equal(t, 160*ms, feedback.StandAt(claims, s, "sh", minute(60)).Effective)
}

package feedback_test

import (
	"math/rand/v2"
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

// A walk over time gives what asking at each instant gives, whatever claims and
// versions there are.
func TestAWalkGivesTheStandOfEachInstant(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	t0 := time.Unix(1_700_000_000, 0).UTC()
	const ms = time.Millisecond
	at := func() time.Time { return t0.Add(time.Duration(r.IntN(200)) * time.Minute / 2) }
	for range 200 {
		var versions []*scene.Scene // newest first
		for i := range 1 + r.IntN(4) {
			v := &scene.Scene{UpdatedAt: t0.Add(time.Duration(60-20*i) * time.Minute)}
			v.Name, v.Target, v.Ladder = "k2", time.Duration(300-20*i)*ms, []time.Duration{220 * ms, 160 * ms, time.Duration(130-10*i) * ms}
			versions = append(versions, v)
		}
		var claims []*control.Claim
		for range r.IntN(40) {
			c := &control.Claim{
				Field: control.FieldTarget, Duration: []time.Duration{220 * ms, 160 * ms, 130 * ms, 120 * ms}[r.IntN(4)], Start: at(), End: at(),
				Source: control.SourceManual, Scope: control.Scope{Scene: "k2", IDC: []string{"sh", "*"}[r.IntN(2)], App: "*", Point: "*", Bucket: "*"},
			}
			c.CreatedAt = c.Start.Truncate(10 * time.Minute) // some are equals
			if r.IntN(3) > 0 {
				c.Source, c.Origin = control.SourceFeedback, "scene:k2"
			}
			if r.IntN(3) == 0 {
				c.Released = at()
			}
			if r.IntN(10) == 0 {
				c.End = time.Time{}
			}
			claims = append(claims, c)
		}
		walk := feedback.NewStands(claims, versions, "sh")
		for i := range 240 {
			now := t0.Add(time.Duration(i-20) * time.Minute / 2)
			v := versions[len(versions)-1]
			for _, x := range versions {
				if !x.UpdatedAt.After(now) {
					v = x
					break
				}
			}
			require.Equal(t, feedback.StandAt(claims, v, "sh", now), walk.At(now), "%v of %v", now, claims)
		}
	}
}

// BenchmarkAWeekOfMinutes walks a week of samples over a claim in five minutes.
func BenchmarkAWeekOfMinutes(b *testing.B) {
	t0 := time.Unix(1_700_000_000, 0).UTC()
	s := &scene.Scene{UpdatedAt: t0}
	s.Name, s.Target, s.Ladder = "k2", 300*time.Millisecond, []time.Duration{220 * time.Millisecond}
	var claims []*control.Claim
	for i := range 2016 {
		from := t0.Add(time.Duration(5*i) * time.Minute)
		claims = append(claims, &control.Claim{
			Field: control.FieldTarget, Source: control.SourceFeedback, Origin: "scene:k2", Duration: 220 * time.Millisecond,
			Start: from, CreatedAt: from, End: from.Add(6 * time.Minute), Scope: control.Scope{Scene: "k2", IDC: "sh", App: "*", Point: "*", Bucket: "*"},
		})
	}
	b.Run("walk", func(b *testing.B) {
		for b.Loop() {
			walk := feedback.NewStands(claims, []*scene.Scene{s}, "sh")
			for m := range 10080 {
				walk.At(t0.Add(time.Duration(m) * time.Minute))
			}
		}
	})
	b.Run("each", func(b *testing.B) {
		for b.Loop() {
			for m := range 10080 {
				feedback.StandAt(claims, s, "sh", t0.Add(time.Duration(m)*time.Minute))
			}
		}
	})
}

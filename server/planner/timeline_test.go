package planner_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/plan"
)

// TestTimelineShowsWhatMeets: the timeline has the steps of the plans one may
// see, and says where they meet a plan that one may not see.
func TestTimelineShowsWhatMeets(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		w, ctx := newWorld(t, dir), t.Context()
		now := time.Now()
		w.approved(t, onceAt("a", now.Add(time.Hour), 3))
		w.approved(t, onceAt("b", now.Add(90*time.Minute), 4))
		bars, more, _, err := w.service.Timeline(ctx, now, now.Add(4*time.Hour), func(p *plan.Plan) bool { return p.Name == "a" })
		require.NoError(t, err)
		require.False(t, more)
		require.Len(t, bars, 1)
		require.Equal(t, "a", bars[0].Plan.Name)
		require.Len(t, bars[0].Conflicts, 1)
		require.Equal(t, "plan b/gears", bars[0].Conflicts[0].With)
		bars, _, _, err = w.service.Timeline(ctx, now.Add(3*time.Hour), now.Add(4*time.Hour), func(*plan.Plan) bool { return true })
		require.NoError(t, err)
		require.Empty(t, bars)
	})
}

package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/planner"
	"github.com/allspark/allspark/server/store"
)

func testRehearsals(t *testing.T, db *store.DB) {
	ctx := t.Context()
	p := approvedPlan(t, db, "double-11")
	at := time.Date(2026, 11, 10, 15, 53, 0, 0, time.UTC)
	begin := func(seed int64) *planner.Rehearsal {
		r := &planner.Rehearsal{
			PlanID: p.ID, PlanName: p.Name, Epoch: p.Epoch, State: planner.Rehearsing, Occurrence: "2026-11-10T23:56:00",
			Day:      planner.Day{Kind: planner.DayCode, Peak: 5, PeakAt: at.Add(7 * time.Minute), Seed: seed},
			Machines: 3, From: at, To: at.Add(20 * time.Minute), Step: 5 * time.Second, Reason: "to see",
			Marks:     []planner.Mark{{At: at.Add(3 * time.Minute), Step: "peak"}, {At: at.Add(10 * time.Minute), Step: "peak", Ends: true}},
			NotPlayed: []string{"step peak: the budget of *"},
		}
		require.NoError(t, db.CreateRehearsal(ctx, r, 2, by("ann")))
		require.NotEmpty(t, r.ID)
		require.Equal(t, "ann", r.CreatedBy)
		return r
	}
	r := begin(1)
	got, err := db.GetRehearsal(ctx, r.ID)
	require.NoError(t, err)
	require.Equal(t, r, got)

	r.State, r.Took = planner.Rehearsed, 3*time.Second
	r.With = planner.Totals{Requests: 10, Value: 0.7, HeavyMinutes: 7}
	r.Played = &planner.Played{
		Front: planner.Place{App: "frontend", Point: "entry"}, Load: []float64{0.8, 5},
		With: planner.Course{Totals: r.With, QPS: []float64{1, 2}, Points: []planner.PointCourse{{Place: planner.Place{App: "sn", Point: "recall"}, Level: []float64{80, 3}}}},
	}
	require.NoError(t, db.FinishRehearsal(ctx, r))
	got, err = db.GetRehearsal(ctx, r.ID)
	require.NoError(t, err)
	require.Equal(t, r, got)
	list, err := db.ListRehearsals(ctx, p.ID)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Nil(t, list[0].Played, "a list is short")
	require.Equal(t, r.With, list[0].With)

	begin(2)
	last := begin(3)
	list, err = db.ListRehearsals(ctx, p.ID)
	require.NoError(t, err)
	require.Len(t, list, 2, "the oldest went")
	require.Equal(t, last.ID, list[0].ID)
	requireCode(t, fault.NotFound, db.FinishRehearsal(ctx, r))
	_, err = db.GetRehearsal(ctx, r.ID)
	requireCode(t, fault.NotFound, err)
	p.State = "stopped"
	c := by("bob")
	c.Verb = "stop"
	require.NoError(t, db.UpdatePlan(ctx, p, planner.Move{}, c))
	require.NoError(t, db.DeletePlan(ctx, p.ID, p.Version, by("ann")))
	list, err = db.ListRehearsals(ctx, p.ID)
	require.NoError(t, err)
	require.Empty(t, list)
	require.NoError(t, verify(ctx, db))
}

package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
)

func drafted(name string) *experiment.Experiment {
	return &experiment.Experiment{
		Name: name, Reason: "which is better?", State: experiment.Draft, Duration: time.Hour,
		Scope:   control.Scope{Scene: "k2", IDC: gear.Any, App: "sn", Point: "recall", Bucket: gear.Any},
		Measure: experiment.Place{App: "merger", Point: "merge"},
		Arms: []experiment.Arm{
			{Name: "central", Slices: 5000, Strategy: gear.StrategyCentral, AvailableRT: 8 * time.Millisecond},
			{Name: "off", Slices: 5000, Strategy: gear.StrategyFixed, Level: 5},
		},
	}
}

func testExperiments(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := drafted("dynamic")
	require.NoError(t, db.CreateExperiment(ctx, x, by("ann")))
	require.NotEmpty(t, x.ID)
	require.Equal(t, "ann", x.CreatedBy)
	requireCode(t, fault.Conflict, db.CreateExperiment(ctx, drafted("dynamic"), by("ann")))
	for _, id := range []string{x.ID, "dynamic"} {
		got, err := db.GetExperiment(ctx, id)
		require.NoError(t, err)
		require.Equal(t, x, got)
	}
	_, err := db.GetExperiment(ctx, "nobody")
	requireCode(t, fault.NotFound, err)
	like := drafted(x.ID) // a name that looks like another's id
	require.NoError(t, db.CreateExperiment(ctx, like, by("eve")))
	got, err := db.GetExperiment(ctx, x.ID)
	require.NoError(t, err)
	require.Equal(t, "dynamic", got.Name)

	old := *x
	x.Reason = "is it worth it?"
	require.NoError(t, db.SaveExperiment(ctx, x, nil, by("bob")))
	require.Equal(t, old.Version+1, x.Version)
	requireCode(t, fault.Stale, db.SaveExperiment(ctx, &old, nil, by("eve")))
	require.NoError(t, db.SaveExperiment(ctx, x, func(running []*experiment.Experiment, now time.Time) error {
		require.Empty(t, running)
		x.State, x.StartedAt, x.EndsAt, x.StartedBy = experiment.Running, now, now.Add(time.Hour), "bob"
		return nil
	}, by("bob")))
	list, err := db.ListExperiments(ctx, experiment.Running, 0)
	require.NoError(t, err)
	require.Equal(t, []*experiment.Experiment{x}, list)
	list, err = db.ListExperiments(ctx, "", 0)
	require.NoError(t, err)
	require.Len(t, list, 2)
	requireCode(t, fault.Conflict, db.DeleteExperiment(ctx, x.ID, x.Version, by("bob")))
	x.State, x.EndedAt, x.EndedBy, x.Ending = experiment.Ended, x.StartedAt.Add(time.Minute), "bob", "seen enough"
	require.NoError(t, db.SaveExperiment(ctx, x, nil, by("bob")))
	got, err = db.GetExperiment(ctx, x.ID)
	require.NoError(t, err)
	require.Equal(t, x, got)
	requireCode(t, fault.Stale, db.DeleteExperiment(ctx, x.ID, 1, by("bob")))
	require.NoError(t, db.DeleteExperiment(ctx, x.ID, x.Version, by("bob")))
	requireCode(t, fault.NotFound, db.DeleteExperiment(ctx, x.ID, x.Version, by("bob")))
	require.NoError(t, verify(ctx, db))
}

// Of two experiments on the same requests one starts, however they race.
func testExperimentRaces(t *testing.T, db *store.DB) {
	ctx := t.Context()
	var xs []*experiment.Experiment
	for _, name := range []string{"a", "b", "c", "d"} {
		x := drafted(name)
		require.NoError(t, db.CreateExperiment(ctx, x, by("ann")))
		xs = append(xs, x)
	}
	got := race(len(xs), func(i int) error {
		x := xs[i]
		return db.SaveExperiment(ctx, x, func(running []*experiment.Experiment, now time.Time) error {
			for _, o := range running {
				if experiment.Meet(x, o) {
					return fault.New(fault.Conflict, "%s runs", o.Name)
				}
			}
			x.State, x.StartedAt, x.EndsAt = experiment.Running, now, now.Add(time.Hour)
			return nil
		}, by("ann"))
	})
	require.Equal(t, map[fault.Code]int{"": 1, fault.Conflict: 3}, got)
}

func testExperimentSpans(t *testing.T, db *store.DB) {
	ctx := t.Context()
	x := drafted("dynamic")
	require.NoError(t, db.CreateExperiment(ctx, x, by("ann")))
	k := experiment.SpanKey{Experiment: x.ID, Role: experiment.RoleMeasure, Arm: "off", Index: 3, Writer: "one"}
	none, err := db.GetSpan(ctx, k)
	require.NoError(t, err)
	require.Nil(t, none)

	s := &experiment.Span{SpanKey: k, Requests: 10, Timeouts: 1, Errors: 2, Shed: 3, RT: 7000.5, Value: -1.25, Levels: 50}
	s.Blocks[19] = experiment.Block{Requests: 10, Answered: 7, Timeouts: 1, RT: 7000.5, Value: -1.25}
	s.Sketch.Record(1000, 7)
	other := &experiment.Span{SpanKey: k, Requests: 1}
	other.Writer = "two"
	gone := &experiment.Span{SpanKey: k}
	gone.Experiment = "gone"
	require.NoError(t, db.SaveSpans(ctx, []*experiment.Span{s, other, gone}))
	s.Requests = 11
	require.NoError(t, db.SaveSpans(ctx, []*experiment.Span{s}), "as it stands now, in place of what was there")
	got, err := db.GetSpan(ctx, k)
	require.NoError(t, err)
	require.Equal(t, s.Blocks, got.Blocks)
	require.EqualValues(t, 11, got.Requests)
	require.InDelta(t, -1.25, got.Value, 0)
	require.EqualValues(t, 7, got.Sketch.Count())
	all, err := db.Spans(ctx, x.ID)
	require.NoError(t, err)
	require.Len(t, all, 2)
	none, err = db.GetSpan(ctx, gone.SpanKey)
	require.NoError(t, err)
	require.Nil(t, none)

	require.NoError(t, db.DeleteExperiment(ctx, x.ID, x.Version, by("ann")))
	all, err = db.Spans(ctx, x.ID)
	require.NoError(t, err)
	require.Empty(t, all, "what was measured goes with it")
}

package experiment_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
)

type house struct {
	db      *store.DB
	claims  *control.Service
	service *experiment.Service
	keeper  *experiment.Keeper
}

func newHouse(t *testing.T) *house {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	require.NoError(t, db.Migrate(t.Context()))
	h := &house{db: db, claims: control.NewService(db, db, nil)}
	h.service = experiment.NewService(db, h.claims, h.standing)
	h.keeper = &experiment.Keeper{Service: h.service, Log: slog.New(slog.DiscardHandler)}
	return h
}

func (h *house) standing(ctx context.Context) ([]*control.Claim, error) {
	now, err := h.db.Now(ctx)
	if err != nil {
		return nil, err
	}
	return h.db.ClaimsAt(ctx, now)
}

var ann = audit.Change{Actor: "ann", Via: "test", Reason: "test"}

func TestAnExperimentRunsAndEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		x, err := h.service.Create(t.Context(), sound(), ann)
		require.NoError(t, err)
		_, err = h.service.Stop(t.Context(), x.ID, "early", ann)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
		x, err = h.service.Start(t.Context(), x.ID, ann)
		require.NoError(t, err)
		require.Equal(t, experiment.Running, x.State)
		require.True(t, x.Armed)
		all, err := h.standing(t.Context())
		require.NoError(t, err)
		require.Len(t, all, len(experiment.Claims(x, x.StartedAt, x.EndsAt)))
		for _, c := range all {
			require.Equal(t, "ann", c.Author)
			require.True(t, c.End.Equal(x.EndsAt))
		}
		_, err = h.service.Update(t.Context(), x, ann)
		require.True(t, fault.Is(err, fault.Conflict), "what runs does not change")
		require.NoError(t, h.keeper.Turn(t.Context()))
		x, err = h.service.Get(t.Context(), x.ID)
		require.NoError(t, err)
		require.Equal(t, experiment.Running, x.State, "all is well")

		time.Sleep(time.Hour)
		all, err = h.standing(t.Context())
		require.NoError(t, err)
		require.Empty(t, all, "claims end by themselves, whoever is alive")
		require.NoError(t, h.keeper.Turn(t.Context()))
		x, err = h.service.Get(t.Context(), x.Name)
		require.NoError(t, err)
		require.Equal(t, experiment.Ended, x.State)
		require.Equal(t, "its planned end came", x.Ending)
		require.True(t, x.EndedAt.Equal(x.EndsAt))
	})
}

func TestStoppingReleasesTheClaimsAndSoDoesWhoeverLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		x, err := h.service.Create(t.Context(), sound(), ann)
		require.NoError(t, err)
		other := sound()
		other.Name = "second"
		other, err = h.service.Create(t.Context(), other, ann)
		require.NoError(t, err)
		x, err = h.service.Start(t.Context(), x.ID, ann)
		require.NoError(t, err)
		_, err = h.service.Start(t.Context(), other.ID, ann)
		require.True(t, fault.Is(err, fault.Conflict), "two on one scope: %v", err)
		time.Sleep(time.Minute)
		x, err = h.service.Stop(t.Context(), x.ID, "seen enough", ann)
		require.NoError(t, err)
		require.Equal(t, "seen enough", x.Ending)
		all, err := h.standing(t.Context())
		require.NoError(t, err)
		require.Empty(t, all)

		other, err = h.service.Start(t.Context(), other.ID, ann)
		require.NoError(t, err)
		all, err = h.standing(t.Context())
		require.NoError(t, err)
		_, err = h.claims.Release(t.Context(), all[3].ID, 0, ann)
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.NoError(t, h.keeper.Turn(t.Context()))
		other, err = h.service.Get(t.Context(), other.ID)
		require.NoError(t, err)
		require.Equal(t, experiment.Ended, other.State)
		require.Contains(t, other.Ending, "released")
		all, err = h.standing(t.Context())
		require.NoError(t, err)
		require.Empty(t, all, "the other arms' claims go, too")
	})
}

// blind cannot read one experiment.
type blind struct {
	experiment.Store
	id string
}

func (b blind) GetExperiment(ctx context.Context, id string) (*experiment.Experiment, error) {
	if id == b.id {
		return nil, errors.New("damaged")
	}
	return b.Store.GetExperiment(ctx, id)
}

// Claims of an experiment that cannot be read stay; those of others that do not run
// go all the same.
func TestOneBadExperimentHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		leave := func(name string) string {
			x := sound()
			x.Name, x.Scope.Scene = name, name
			x, err := h.service.Create(t.Context(), x, ann)
			require.NoError(t, err)
			now, err := h.db.Now(t.Context())
			require.NoError(t, err)
			_, err = h.claims.SetAll(t.Context(), experiment.Claims(x, time.Time{}, now.Add(time.Hour)), ann)
			require.NoError(t, err)
			return x.ID
		}
		bad := leave("bad")
		for _, name := range []string{"one", "two", "three"} {
			leave(name)
		}
		k := &experiment.Keeper{Service: experiment.NewService(blind{h.db, bad}, h.claims, h.standing), Log: h.keeper.Log}
		require.ErrorContains(t, k.Turn(t.Context()), "damaged")
		all, err := h.standing(t.Context())
		require.NoError(t, err)
		require.NotEmpty(t, all)
		for _, c := range all {
			require.Equal(t, bad, experiment.OfClaim(c))
		}
	})
}

// failing refuses the fourth claim, as a freeze that begins just then does.
type failing struct{ *control.Service }

func (f failing) SetAll(ctx context.Context, cs []*control.Claim, ch audit.Change) ([]*control.Claim, error) {
	set, err := f.Service.SetAll(ctx, cs[:3], ch)
	if err == nil {
		err = errors.New("the fourth fails")
	}
	return set, err
}

func TestAStartThatFailsHalfWayLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.service = experiment.NewService(h.db, failing{h.claims}, h.standing)
		x, err := h.service.Create(t.Context(), sound(), ann)
		require.NoError(t, err)
		_, err = h.service.Start(t.Context(), x.ID, ann)
		require.ErrorContains(t, err, "the fourth fails")
		time.Sleep(time.Second)
		all, err := h.standing(t.Context())
		require.NoError(t, err)
		require.Empty(t, all)
		x, err = h.service.Get(t.Context(), x.ID)
		require.NoError(t, err)
		require.Equal(t, experiment.Draft, x.State, "it can be started again")
	})
}

func TestAClaimByHandIsNamedAsWhatStandsAboveAnArm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		x, err := h.service.Create(t.Context(), sound(), ann)
		require.NoError(t, err)
		x, err = h.service.Start(t.Context(), x.ID, ann)
		require.NoError(t, err)
		over, err := h.service.Overrides(t.Context(), x)
		require.NoError(t, err)
		require.Empty(t, over)
		now, err := h.db.Now(t.Context())
		require.NoError(t, err)
		_, err = h.claims.Set(t.Context(), &control.Claim{
			Field: control.FieldLevel, Level: 2, Source: control.SourceManual, Reason: "it burns", End: now.Add(time.Hour),
			Scope: control.Scope{Scene: "k2", App: "sn"},
		}, ann)
		require.NoError(t, err)
		over, err = h.service.Overrides(t.Context(), x)
		require.NoError(t, err)
		require.Len(t, over, 1)
	})
}

// reported makes what agents say of an arm in five seconds.
func reported(bucket, point string, n int64, value float64) gear.Report {
	b := gear.BucketReport{Bucket: bucket, PointReport: gear.PointReport{Scene: "k2", Point: point, Count: n * gear.Blocks, OK: n * gear.Blocks, RTSum: time.Duration(n) * gear.Blocks * time.Millisecond, LevelSum: 5 * n * gear.Blocks, LevelMin: 5, LevelMax: 5}}
	for k := range b.Blocks {
		b.Blocks[k] = gear.BlockReport{Count: n, RTSum: time.Duration(n) * time.Millisecond, Value: value * float64(n) * (1 + float64(k%5)/100)}
		b.Value += b.Blocks[k].Value
	}
	return gear.Report{Window: time.Second, Buckets: []gear.BucketReport{b}}
}

func TestFiguresOfRunningExperimentsAreKeptAcrossARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		x, err := h.service.Create(t.Context(), sound(), ann)
		require.NoError(t, err)
		x, err = h.service.Start(t.Context(), x.ID, ann)
		require.NoError(t, err)
		windows := telemetry.New(telemetry.Limits{})
		recorder := func() *experiment.Recorder {
			return &experiment.Recorder{Store: h.db, Windows: windows, Writer: "one", Log: slog.New(slog.DiscardHandler)}
		}
		r := recorder()
		for range 3 {
			time.Sleep(5 * time.Second)
			for _, m := range []gear.Report{
				reported("0-3333", "merge", 10, 2), reported("3333-6666", "merge", 10, 2.4), reported("6666-10000", "merge", 10, 2),
				reported("0-100", "merge", 1000, 9), // no arm of this experiment
			} {
				windows.Ingest(telemetry.Source{App: "merger", IDC: "sh", Instance: "m" + m.Buckets[0].Bucket}, &m, time.Now())
			}
			at := reported("0-3333", "recall", 30, 0)
			windows.Ingest(telemetry.Source{App: "sn", IDC: "sh", Instance: "s"}, &at, time.Now())
			require.NoError(t, r.Turn(t.Context()))
			r = recorder() // restarted: it goes on where it was
		}
		res, err := h.service.Result(t.Context(), x)
		require.NoError(t, err)
		require.EqualValues(t, 600, res.Arms[0].Measure.Requests)
		require.InDelta(t, 2.04, res.Arms[0].Measure.Value, 1e-9)
		require.Equal(t, time.Millisecond, res.Arms[0].Measure.MeanRT)
		require.EqualValues(t, 1800, res.Arms[0].Scope.Requests)
		require.InDelta(t, 5, res.Arms[0].Measure.Level, 1e-9)
		require.Empty(t, res.Arms[0].Lifts, "the control is compared with nothing")
		require.InDelta(t, 0.2, res.Arms[1].Lifts[0].Relative.Estimate, 1e-9)
		require.NotNil(t, res.Ratio)
		require.False(t, res.Final)
		require.NotEmpty(t, res.Series)

		_, err = h.service.Stop(t.Context(), x.ID, "enough", ann)
		require.NoError(t, err)
		time.Sleep(time.Minute)
		late := reported("0-3333", "merge", 1000, 2)
		windows.Ingest(telemetry.Source{App: "merger", IDC: "sh", Instance: "m"}, &late, time.Now())
		require.NoError(t, r.Turn(t.Context()))
		res, err = h.service.Result(t.Context(), x)
		require.NoError(t, err)
		require.EqualValues(t, 600, res.Arms[0].Measure.Requests, "what comes a minute later is of something else")
	})
}

package feedback_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/sketch"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/telemetry"
)

// floor is an app under one central order, its claims and its measurements: Decide
// itself, telemetry's windows, and a machine whose mean is proportional to work.
type floor struct {
	t       *testing.T
	now     time.Time
	windows *telemetry.Windows
	claims  []*control.Claim
	order   gear.Order
	rows    []string // verbs in the audit log
	loop    *feedback.Loop
	load    float64
}

func newFloor(t *testing.T) *floor {
	f := &floor{
		t: t, now: time.Unix(1_800_000_000, 0), windows: telemetry.New(telemetry.Limits{}), load: 1,
		order: gear.Order{Scene: "*", Point: "recall", Bucket: "*", Table: "t", Strategy: gear.StrategyCentral, Level: 80, MinLevel: 5, MaxLevel: 100, AvailableRT: 8 * time.Millisecond},
	}
	f.restart()
	return f
}

func (f *floor) restart() {
	f.loop = feedback.NewLoop(feedback.Config{
		Windows: f.windows, Claims: f, Now: func() time.Time { return f.now },
		Orders:   func() []*control.Shift { return []*control.Shift{f.shift()} },
		Standing: func(context.Context) ([]*control.Claim, error) { return f.standing(), nil },
	})
}

func (f *floor) standing() []*control.Claim {
	return slices.DeleteFunc(slices.Clone(f.claims), func(c *control.Claim) bool { return !c.Active(f.now) })
}

// shift decides the level as control does: manual over feedback over template.
func (f *floor) shift() *control.Shift {
	o := f.order
	best := control.SourceTemplate
	for _, c := range f.standing() {
		if c.Source <= best {
			best, o.Level, o.Pinned = c.Source, c.Level, c.Source == control.SourceManual || c.Source == control.SourcePlan
		}
	}
	return &control.Shift{App: "sn", IDC: "na61", Set: gear.OrderSet{App: "sn", IDC: "na61", Orders: []gear.Order{o}}}
}

func (f *floor) Set(_ context.Context, c *control.Claim, ch audit.Change) (*control.Claim, error) {
	n := *c
	n.ID, n.Start, n.CreatedAt = strconv.Itoa(len(f.claims)), f.now, f.now
	require.Empty(f.t, control.CheckClaim(&n, f.now))
	require.Equal(f.t, feedback.Actor, ch.Actor)
	require.NotEmpty(f.t, n.Reason)
	f.claims, f.rows = append(f.claims, &n), append(f.rows, "set")
	return &n, nil
}

func (f *floor) Extend(_ context.Context, id string, _ int64, end time.Time, _ audit.Change) (*control.Claim, error) {
	i, _ := strconv.Atoi(id)
	f.claims[i].End, f.rows = end, append(f.rows, "extend")
	return f.claims[i], nil
}

func (f *floor) Release(_ context.Context, id string, _ int64, _ audit.Change) (*control.Claim, error) {
	i, _ := strconv.Atoi(id)
	f.claims[i].Released, f.rows = f.now, append(f.rows, "release")
	return f.claims[i], nil
}

// play runs seconds of reports and turns.
func (f *floor) play(seconds int) {
	for range seconds {
		f.now = f.now.Add(time.Second)
		level := f.shift().Set.Orders[0].Level
		mean := 2*time.Millisecond + time.Duration(f.load*6e6*float64(level)/80)
		var s sketch.Sketch
		s.Record(uint64(mean.Microseconds()))
		f.windows.Ingest(telemetry.Source{App: "sn", IDC: "na61", Instance: "i1"}, &gear.Report{
			At: f.now, Window: time.Second, CPU: -1,
			Points: []gear.PointReport{{
				Scene: "k2", Point: "recall", Count: 500, OK: 500, RTSum: 500 * mean, RT: s.AppendTo(nil),
				LevelSum: 500 * int64(level), LevelMin: level, LevelMax: level,
			}},
		}, f.now)
		f.windows.Advance(f.now)
		require.NoError(f.t, f.loop.Turn(f.t.Context()))
		require.LessOrEqual(f.t, len(f.standing()), 2)
	}
}

func (f *floor) level() int { return f.shift().Set.Orders[0].Level }

func TestTheLoopHoldsACentralPointByOneClaim(t *testing.T) {
	f := newFloor(t)
	f.play(60)
	require.Empty(t, f.rows, "within the band nothing is written")
	f.load = 2
	f.play(240)
	require.LessOrEqual(t, 2+2*6*float64(f.level())/80, 8.0)
	require.Greater(t, f.level(), 30)
	standing := f.standing()
	require.Len(t, standing, 1)
	require.Equal(t, feedback.Origin, standing[0].Origin)
	require.Equal(t, control.SourceFeedback, standing[0].Source)
	require.Contains(t, standing[0].Reason, "against 8ms")

	written := len(f.rows)
	f.play(2 * 3600)
	require.LessOrEqual(t, len(f.rows)-written, 3, "a point that holds its level costs two rows an hour: %v", f.rows[written:])
	require.Len(t, f.standing(), 1, "and its claim never runs out")
}

func TestASuccessorGoesOnFromTheOrdersLevel(t *testing.T) {
	f := newFloor(t)
	f.load = 2
	f.play(240)
	level, rows := f.level(), len(f.rows)
	f.restart()
	f.play(60)
	require.Equal(t, level, f.level())
	require.Len(t, f.rows, rows)
}

func TestAManualClaimIsLeftAloneAndTheLoopComesBack(t *testing.T) {
	f := newFloor(t)
	f.load = 2
	f.play(240)
	level := f.level()
	f.claims = append(f.claims, &control.Claim{
		ID: strconv.Itoa(len(f.claims)), Field: control.FieldLevel, Level: 90, Source: control.SourceManual,
		Scope: control.Scope{Scene: "*", IDC: "na61", App: "sn", Point: "recall", Bucket: "*"}, Start: f.now, End: f.now.Add(2 * time.Minute),
	})
	rows := len(f.rows)
	f.play(110)
	require.Equal(t, 90, f.level())
	require.Len(t, f.rows, rows)
	f.play(60)
	require.InDelta(t, level, f.level(), 3)
}

// TestAutomaticGears: at the end of a plan's step the level does not jump back to
// where it was before; it rises as load falls, at the rule's pace.
func TestAutomaticGears(t *testing.T) {
	f := newFloor(t)
	f.play(60)
	require.Equal(t, 80, f.level())
	f.claims = append(f.claims, &control.Claim{
		ID: strconv.Itoa(len(f.claims)), Field: control.FieldLevel, Level: 10, Source: control.SourcePlan, Origin: "plan double-11/midnight-gears",
		Scope: control.Scope{Scene: "*", IDC: "*", App: "sn", Point: "recall", Bucket: "*"}, Start: f.now, End: f.now.Add(7 * time.Minute),
	})
	f.load = 5
	f.play(7 * 60)
	require.Equal(t, []string{"set"}, f.rows, "one claim follows the plan, and is not written again")
	require.Equal(t, 10, f.level())

	// The peak falls by a third a minute; a stride is at most four levels in ten seconds.
	last, rose := f.level(), 0
	for range 60 {
		f.load = max(f.load*0.935, 1)
		f.play(10)
		require.LessOrEqual(t, f.level()-last, 4, "no jump")
		if f.level() > last {
			rose++
		}
		require.LessOrEqual(t, 2+f.load*6*float64(f.level())/80, 8.8, "RT stays at its target on the way")
		last = f.level()
	}
	require.Greater(t, rose, 10, "step by step")
	require.Greater(t, last, 70, "up to what the load allows")
}

func TestClaimsEndWithTheStrategy(t *testing.T) {
	f := newFloor(t)
	f.load = 2
	f.play(240)
	require.Len(t, f.standing(), 1)
	f.order.Strategy = gear.StrategyFixed
	f.play(2)
	require.Empty(t, f.standing())
	require.Equal(t, 80, f.level())
}

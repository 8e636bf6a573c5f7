package gearbox_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/agent/staged"
	"github.com/allspark/allspark/proto/gear"
)

// TestStagedStepsFireByReferenceTime: on a machine whose clock is five minutes
// off, a step fires at its instant by itself, once, and ends by itself.
func TestStagedStepsFireByReferenceTime(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"right": 0, "ahead": 5 * time.Minute, "behind": -5 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reference := func() (time.Time, time.Duration, bool) { return time.Now().Round(0).Add(-ahead), ahead, true }
				dir := t.TempDir()
				table := gear.LevelTable{
					Params: []gear.TableParam{{Name: "tag_count", Kind: gear.KindInt}},
					Rows:   [][]gear.Value{{gear.Int(10)}, {gear.Int(20)}, {gear.Int(30)}}, Work: []float64{.3, .6, 1},
				}
				table.Hash = table.ComputeHash()
				set := func(level int, revision int64, decided time.Time) gear.OrderSet {
					s := gear.OrderSet{App: "sn", IDC: "na61", Epoch: 1, Revision: revision, Decided: decided, Orders: []gear.Order{{
						Scene: "*", Point: "recall",
						Bucket: "*", Table: table.Hash, Strategy: gear.StrategyFixed, Level: level, MinLevel: 1, MaxLevel: 3,
					}}}
					s.Hash = s.ComputeHash()
					return s
				}
				newBox := func() (*gearbox.Box, func() (int, gear.Rung)) {
					b := gearbox.New(gearbox.Config{App: "sn", IDC: "na61", Meter: meter.New()})
					id := b.Declare(gearbox.Point{PointDecl: gear.PointDecl{Name: "recall", Params: []gear.Param{
						{Name: "tag_count", Kind: gear.KindInt, Min: gear.Int(10), Max: gear.Int(200), Default: gear.Int(100)},
					}}})
					return b, func() (int, gear.Rung) {
						r := b.Load().Entry(id, 0).Rule
						return r.Row.Level, r.Rung
					}
				}
				b, now := newBox()
				b.UseClock(reference)
				at, _, _ := reference()
				start, end := at.Add(10*time.Second), at.Add(20*time.Minute)
				b.AddTables([]gear.LevelTable{table})
				live := set(3, 1, at)
				require.False(t, b.Apply(&live).Refused)
				b.Contact()
				s := &gear.Staged{App: "sn", IDC: "na61", AsOf: at, Entries: []gear.StagedEntry{
					{At: start, Set: set(1, 0, start), Peak: true}, {At: end, Set: set(2, 0, end)},
				}}
				s.Hash = s.ComputeHash()
				require.Equal(t, gear.StagedAck{Hash: s.Hash}, b.Stage(s, []gear.LevelTable{table}))
				require.NoError(t, b.Persist(dir))
				require.NoError(t, b.PersistStaged(dir))
				b.Lost()
				tick := time.NewTicker(time.Second)
				defer tick.Stop()
				until := func(to time.Time) {
					for r, _, _ := reference(); r.Before(to); r, _, _ = reference() {
						select {
						case <-tick.C:
							b.Tick()
						case <-time.After(to.Sub(r)):
						}
					}
					synctest.Wait()
				}
				require.Equal(t, gear.RungLastGood, b.Load().Rung)
				until(start.Add(-time.Millisecond))
				level, _ := now()
				require.Equal(t, 3, level)
				until(start)
				level, rung := now()
				require.Equal(t, 1, level)
				require.Equal(t, gear.RungStaged, rung)
				// Far past the TTL the peak still holds.
				until(end.Add(-time.Millisecond))
				level, _ = now()
				require.Equal(t, 1, level)
				until(end)
				level, rung = now()
				require.Equal(t, 2, level)
				require.Equal(t, gear.RungStaged, rung)
				until(end.Add(gearbox.DefaultTTL + time.Second))
				_, rung = now()
				require.Equal(t, gear.RungDefault, rung)

				// After a restart without any controller the offset comes from the disk.
				again, now := newBox()
				require.NoError(t, again.RestoreStaged(dir))
				require.Equal(t, s.Hash, again.StagedHash())
				require.Equal(t, gear.RungDefault, again.Load().Rung)

				// An order decided since the instant is the same transition, and counts.
				at, _, _ = reference()
				again.UseClock(reference)
				s2 := &gear.Staged{App: "sn", IDC: "na61", AsOf: at, Entries: []gear.StagedEntry{{At: at, Set: set(1, 0, at), Peak: true}}}
				s2.Hash = s2.ComputeHash()
				require.False(t, again.Stage(s2, []gear.LevelTable{table}).Refused)
				level, _ = now()
				require.Equal(t, 1, level)
				order := set(1, 2, at)
				require.False(t, again.Apply(&order).Refused)
				again.Contact()
				level, rung = now()
				require.Equal(t, 1, level)
				require.Equal(t, gear.RungLive, rung)
			})
		})
	}
}

func TestStagedStepsThatDoNotFitAreRefused(t *testing.T) {
	b := gearbox.New(gearbox.Config{App: "sn", IDC: "na61", Meter: meter.New()})
	s := &gear.Staged{App: "other", IDC: "na61", AsOf: time.Now(), Entries: []gear.StagedEntry{{At: time.Now(), Set: gear.OrderSet{App: "other", IDC: "na61"}}}}
	s.Hash = s.ComputeHash()
	a := b.Stage(s, nil)
	require.True(t, a.Refused)
	require.NotEmpty(t, a.Problems)
	require.Empty(t, b.StagedHash())
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, staged.File), []byte("ASSTAGE torn"), 0o600))
	require.ErrorIs(t, b.RestoreStaged(dir), staged.ErrDamaged)
	require.Equal(t, gear.RungDefault, b.Load().Rung)
}

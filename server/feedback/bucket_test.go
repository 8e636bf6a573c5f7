package feedback_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/telemetry"
)

// An arm of an experiment that is regulated centrally sees its own users only: the
// whole of the point is fast, the arm is not.
func TestABucketIsRegulatedOnItsOwnFigures(t *testing.T) {
	f := newFloor(t)
	f.order.Bucket = "0-5000"
	for second := range 20 {
		f.now = f.now.Add(time.Second)
		r := gear.Report{Window: time.Second, Points: []gear.PointReport{{
			Scene: "*", Point: "recall", Count: 100, OK: 100, RTSum: 200 * time.Millisecond, LevelSum: 8000, LevelMin: 80, LevelMax: 80,
		}}}
		if second%5 == 4 {
			b := gear.BucketReport{Bucket: "0-5000", PointReport: gear.PointReport{
				Scene: "*", Point: "recall", Count: 10 * gear.Blocks, OK: 10 * gear.Blocks, RTSum: 16 * 10 * gear.Blocks * time.Millisecond,
				LevelSum: 800 * gear.Blocks, LevelMin: 80, LevelMax: 80,
			}}
			for k := range b.Blocks {
				b.Blocks[k] = gear.BlockReport{Count: 10, RTSum: 160 * time.Millisecond}
			}
			r.Buckets = []gear.BucketReport{b}
		}
		f.windows.Ingest(telemetry.Source{App: "sn", IDC: "na61", Instance: "m"}, &r, f.now)
		require.NoError(t, f.loop.Turn(t.Context()))
	}
	standing := f.standing()
	require.Len(t, standing, 1)
	require.Equal(t, "0-5000", standing[0].Scope.Bucket)
	require.Less(t, standing[0].Level, 80)
}

package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// TestNoReportIsLargerThanAControllerTakes: an app of many scenes, followed through
// many calls, on the second in which everything is due at once.
func TestNoReportIsLargerThanAControllerTakes(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("%s-%04d", strings.Repeat("n", 58), i) }
	sketch := []byte(strings.Repeat("s", 300))
	var points []gear.PointReport
	var left leftovers
	for i := range 2000 {
		p := gear.PointReport{Scene: name(i), Point: name(i), Count: 1 << 40, OK: 1 << 40, RT: sketch, Load: 1.5, Value: 2.5}
		points = append(points, p)
		left.levels = append(left.levels, gear.LevelReport{Scene: name(i), Point: name(i), Table: name(i), Level: 5, Class: "middle", Count: 1 << 40, RT: sketch})
		if i < 200 {
			left.buckets = append(left.buckets, gear.BucketReport{Bucket: "0-5000", PointReport: p})
		}
	}
	for i := range wire.MaxCalls { // what a trace.Book holds at most
		left.calls = append(left.calls, gear.CallReport{
			Scene: name(i), Point: name(i), Caller: name(i) + "/" + name(i), After: name(i) + "/" + name(i), Count: 1 << 40,
		})
	}
	want := [4]int{len(points), len(left.calls), len(left.levels), len(left.buckets)}
	var got [4]int
	for n := 0; len(points) > 0 || left.waiting(); n++ {
		require.Less(t, n, 100, "it goes on for ever")
		r := &gear.Report{Sequence: int64(n + 1)}
		points = left.fill(r, points)
		frame := &agentv1.ConnectRequest{Report: wire.FromReport(r)}
		require.LessOrEqual(t, proto.Size(frame), wire.MaxInbound)
		for i, k := range []int{len(r.Points), len(r.Calls), len(r.Levels), len(r.Buckets)} {
			got[i] += k
		}
	}
	require.Equal(t, want, got, "each once")
}

// TestWhatWaitsIsBounded: an agent that can send nothing for hours keeps the newest.
func TestWhatWaitsIsBounded(t *testing.T) {
	var left leftovers
	for i := range 10 {
		left.add(make([]gear.CallReport, wire.MaxCalls), make([]gear.LevelReport, wire.MaxLevels))
		left.levels[len(left.levels)-1].Level = i
	}
	require.Len(t, left.calls, keepLeft)
	require.Len(t, left.levels, keepLeft)
	require.Equal(t, 9, left.levels[keepLeft-1].Level)
}

package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
)

func testHistory(t *testing.T, db *store.DB) {
	ctx := t.Context()
	key := func(i int) telemetry.Key {
		return telemetry.Key{Scene: fmt.Sprintf("s%d", i%3), IDC: "na61", App: "sn", Point: fmt.Sprintf("p%04d", i)}
	}
	var minutes, hours []telemetry.Row
	for i := range 1200 { // more than one statement takes
		minutes = append(minutes, telemetry.Row{Key: key(i), Unit: 100, Writer: "a", Packed: []byte{1, byte(i), 0, 0xff}})
		hours = append(hours, telemetry.Row{Key: key(i), Unit: 4, Writer: "a", Packed: []byte{2, byte(i)}})
	}
	require.NoError(t, db.SaveHistory(ctx, nil, nil))
	require.NoError(t, db.SaveHistory(ctx, minutes, hours))
	got, err := db.ReadMinutes(ctx, telemetry.Filter{}, 100, 101)
	require.NoError(t, err)
	require.Equal(t, minutes, got)
	got, err = db.ReadHours(ctx, telemetry.Filter{App: "sn"}, 4, 5)
	require.NoError(t, err)
	require.Equal(t, hours, got)

	again := []telemetry.Row{{Key: key(7), Unit: 100, Writer: "a", Packed: []byte("newer")}, {Key: key(7), Unit: 100, Writer: "b", Packed: []byte("other")}, {Key: key(7), Unit: 101, Writer: "a", Packed: []byte("next")}}
	require.NoError(t, db.SaveHistory(ctx, again, nil))
	got, err = db.ReadMinutes(ctx, telemetry.Filter{Point: key(7).Point, Scene: key(7).Scene, IDC: "na61"}, 0, 101)
	require.NoError(t, err)
	require.Equal(t, again[:2], got, "a row is replaced, writers stay apart, the end is not included")
	got, err = db.ReadMinutes(ctx, telemetry.Filter{App: "other"}, 0, 1000)
	require.NoError(t, err)
	require.Empty(t, got)

	ms, hs, err := db.ResumeHistory(ctx, "a", 100, 4)
	require.NoError(t, err)
	require.Len(t, ms, 1200)
	require.Len(t, hs, 1200)
	ms, hs, err = db.ResumeHistory(ctx, "b", 100, 4)
	require.NoError(t, err)
	require.Equal(t, again[1:2], ms)
	require.Empty(t, hs)

	counts := race(4, func(w int) error { // replicas number the same new series
		var rows []telemetry.Row
		for i := range 300 {
			j := i
			if w%2 == 0 {
				j = 299 - i
			}
			rows = append(rows, telemetry.Row{Key: telemetry.Key{Scene: "new", IDC: "x", App: "y", Point: fmt.Sprint(j)}, Unit: 1, Writer: fmt.Sprint(w), Packed: []byte{1}})
		}
		return db.SaveHistory(ctx, rows, nil)
	})
	require.Equal(t, map[fault.Code]int{"": 4}, counts)
	got, err = db.ReadMinutes(ctx, telemetry.Filter{Scene: "new"}, 0, 2)
	require.NoError(t, err)
	require.Len(t, got, 1200)
}

func testHistoryRetention(t *testing.T, db *store.DB) {
	ctx := t.Context()
	k := telemetry.Key{Scene: "s", IDC: "i", App: "a", Point: "p"}
	var rows []telemetry.Row
	for i := range int64(5300) {
		rows = append(rows, telemetry.Row{Key: k, Unit: i, Writer: "w", Packed: []byte{1}})
	}
	require.NoError(t, db.SaveHistory(ctx, rows, rows[:10]))
	n, done, err := db.PruneHistory(ctx, 5200, 4)
	require.NoError(t, err)
	require.False(t, done, "one call drops a bounded number")
	require.EqualValues(t, 5004, n)
	n, done, err = db.PruneHistory(ctx, 5200, 4)
	require.NoError(t, err)
	require.True(t, done)
	require.EqualValues(t, 200, n)
	got, err := db.ReadMinutes(ctx, telemetry.Filter{}, 0, 1<<40)
	require.NoError(t, err)
	require.Len(t, got, 100)
	require.EqualValues(t, 5200, got[0].Unit)
	got, err = db.ReadHours(ctx, telemetry.Filter{}, 0, 1<<40)
	require.NoError(t, err)
	require.Len(t, got, 6)

	// The whole way: windows, recorder, store, range.
	end := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	var s telemetry.Slots
	for i := range 60 {
		s.Set(i, telemetry.Sample{Count: int64(60 + i), MeanUS: 1000, P99US: int64(i), CPUMilli: -1})
	}
	k2 := telemetry.Key{Scene: "s2", IDC: "i", App: "a", Point: "p"}
	require.NoError(t, db.SaveHistory(ctx, []telemetry.Row{{Key: k2, Unit: end.Unix()/3600 - 1, Writer: "w", Packed: s.Append(nil)}}, nil))
	h := telemetry.History{Store: db}
	series, err := h.Range(ctx, telemetry.Filter{Scene: "s2"}, end.Add(-30*time.Minute), end, time.Minute)
	require.NoError(t, err)
	require.Len(t, series, 1)
	require.Len(t, series[0].Samples, 30)
	require.EqualValues(t, 90, series[0].Samples[0].Count)
	series, err = h.Range(ctx, telemetry.Filter{Scene: "s2"}, end.Add(-24*time.Hour), end, time.Hour)
	require.NoError(t, err)
	require.Len(t, series, 1, "an hour no day has yet comes from its minutes")
	require.EqualValues(t, 60*60+59*30, series[0].Samples[0].Count)
}

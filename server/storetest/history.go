package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
	"github.com/allspark/allspark/server/telemetry"
)

// Everything that matches, at once.
func readMinutes(ctx context.Context, db *store.DB, f telemetry.Filter, from, to int64) ([]telemetry.Row, error) {
	u := telemetry.Units{From: from, To: to}
	of, err := db.ListSeries(ctx, f, telemetry.Key{}, 5000, u, telemetry.Units{})
	if err != nil {
		return nil, err
	}
	return db.ReadMinutes(ctx, of, u)
}

func readHours(ctx context.Context, db *store.DB, f telemetry.Filter, from, to int64) ([]telemetry.Row, error) {
	u := telemetry.Units{From: from, To: to}
	of, err := db.ListSeries(ctx, f, telemetry.Key{}, 5000, telemetry.Units{}, u)
	if err != nil {
		return nil, err
	}
	return db.ReadHours(ctx, of, u)
}

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
	got, err := readMinutes(ctx, db, telemetry.Filter{}, 100, 101)
	require.NoError(t, err)
	require.Equal(t, minutes, got)
	got, err = readHours(ctx, db, telemetry.Filter{App: "sn"}, 4, 5)
	require.NoError(t, err)
	require.Equal(t, hours, got)

	again := []telemetry.Row{{Key: key(7), Unit: 100, Writer: "a", Packed: []byte("newer")}, {Key: key(7), Unit: 100, Writer: "b", Packed: []byte("other")}, {Key: key(7), Unit: 101, Writer: "a", Packed: []byte("next")}}
	require.NoError(t, db.SaveHistory(ctx, again, nil))
	got, err = readMinutes(ctx, db, telemetry.Filter{Point: key(7).Point, Scene: key(7).Scene, IDC: "na61"}, 0, 101)
	require.NoError(t, err)
	require.Equal(t, again[:2], got, "a row is replaced, writers stay apart, the end is not included")
	got, err = readMinutes(ctx, db, telemetry.Filter{App: "other"}, 0, 1000)
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
	got, err = readMinutes(ctx, db, telemetry.Filter{Scene: "new"}, 0, 2)
	require.NoError(t, err)
	require.Len(t, got, 1200)
}

// counted counts the rows that are read.
type counted struct {
	telemetry.Store
	rows int
}

func (c *counted) ReadMinutes(ctx context.Context, of []telemetry.Numbered, hours telemetry.Units) ([]telemetry.Row, error) {
	rows, err := c.Store.ReadMinutes(ctx, of, hours)
	c.rows += len(rows)
	return rows, err
}

func (c *counted) ReadHours(ctx context.Context, of []telemetry.Numbered, days telemetry.Units) ([]telemetry.Row, error) {
	rows, err := c.Store.ReadHours(ctx, of, days)
	c.rows += len(rows)
	return rows, err
}

// What a range costs follows what is taken of it, not what matches.
func testHistoryPages(t *testing.T, db *store.DB) {
	ctx := t.Context()
	end := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	var s telemetry.Slots
	s.Set(30, telemetry.Sample{Count: 1, CPUMilli: -1})
	key := func(i int) telemetry.Key {
		return telemetry.Key{Scene: fmt.Sprint("s", i%3), IDC: fmt.Sprint("i", i%2), App: "sn", Point: fmt.Sprintf("p%04d", i/6)}
	}
	const n = 700
	var minutes, hours []telemetry.Row
	for i := range n {
		minutes = append(minutes, telemetry.Row{Key: key(i), Unit: end.Unix()/3600 - 1, Writer: "w", Packed: s.Append(nil)})
	}
	var day telemetry.Slots
	day.Set(3, telemetry.Sample{Count: 2, CPUMilli: -1})
	for d := range int64(20) {
		for i := range 60 {
			hours = append(hours, telemetry.Row{Key: key(i), Unit: end.Unix()/86400 - 1 - d, Writer: "w", Packed: day.Append(nil)})
		}
	}
	require.NoError(t, db.SaveHistory(ctx, minutes, hours))
	c := &counted{Store: db}
	h := telemetry.History{Store: c}
	each := func(f telemetry.Filter, wanted func(telemetry.Key) bool, span, step time.Duration, most int) (keys []telemetry.Key) {
		c.rows = 0
		for x, err := range h.Each(ctx, f, wanted, end.Add(-span), end, step) {
			require.NoError(t, err)
			require.NotEmpty(t, x.Samples)
			if keys = append(keys, x.Key); len(keys) == most {
				break
			}
		}
		return keys
	}
	all := each(telemetry.Filter{}, nil, time.Hour, time.Minute, 0)
	require.Len(t, all, n)
	require.True(t, slices.IsSortedFunc(all, telemetry.CompareKeys), "each once, in order, over all pages")
	require.Equal(t, n, c.rows)
	require.Equal(t, all[:51], each(telemetry.Filter{App: "sn"}, nil, time.Hour, time.Minute, 51))
	require.LessOrEqual(t, c.rows, 256, "no more than a page")
	require.Equal(t, all[:51], each(telemetry.Filter{}, nil, 7*24*time.Hour, time.Minute, 51))
	require.LessOrEqual(t, c.rows, 64, "longer spans have smaller pages")

	mine := each(telemetry.Filter{IDC: "i1"}, func(k telemetry.Key) bool { return k.Scene == "s2" }, time.Hour, time.Minute, 0)
	require.Len(t, mine, 116)
	require.Equal(t, len(mine), c.rows, "of a foreign series no row is read")
	require.Empty(t, each(telemetry.Filter{}, func(telemetry.Key) bool { return false }, time.Hour, time.Minute, 0))
	require.Zero(t, c.rows)
	require.Empty(t, each(telemetry.Filter{}, nil, 10*time.Minute, time.Minute, 0), "rows without a sample in the range")

	require.Len(t, each(telemetry.Filter{}, nil, 30*24*time.Hour, time.Hour, 0), n, "hours of days, and of the minutes no day has")
	require.Len(t, each(telemetry.Filter{}, nil, 30*24*time.Hour, time.Hour, 51), 51)
	require.LessOrEqual(t, c.rows, 200*21)

	broken, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range h.Each(broken, telemetry.Filter{}, nil, end.Add(-time.Hour), end, time.Minute) {
		require.Error(t, err)
	}
	got, err := h.Range(ctx, telemetry.Filter{}, time.Unix(-3000, 0), time.Unix(-60, 0), time.Minute)
	require.NoError(t, err, "before all units")
	require.Empty(t, got)
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
	got, err := readMinutes(ctx, db, telemetry.Filter{}, 0, 1<<40)
	require.NoError(t, err)
	require.Len(t, got, 100)
	require.EqualValues(t, 5200, got[0].Unit)
	got, err = readHours(ctx, db, telemetry.Filter{}, 0, 1<<40)
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

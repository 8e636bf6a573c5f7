package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/telemetry"
)

func TestRetentionAndSilentSeries(t *testing.T) {
	ctx := t.Context()
	db := openStore(t)
	hour, day := t0.Unix()/3600, t0.Unix()/86400
	row := func(unit int64) telemetry.Row {
		var s telemetry.Slots
		s.Set(0, telemetry.Sample{Count: 1, CPUMilli: -1})
		return telemetry.Row{Key: recall, Unit: unit, Writer: "old", Packed: s.Append(nil)}
	}
	require.NoError(t, db.SaveHistory(ctx,
		[]telemetry.Row{row(hour - 7*24 - 1), row(hour - 7*24)}, []telemetry.Row{row(day - 91), row(day - 90)}))
	w := telemetry.New(telemetry.Limits{})
	r := recorder(db, w)
	drive(t, w, r, 0, 10*60)

	all := telemetry.Units{From: 0, To: 1 << 40}
	listed, err := db.ListSeries(ctx, telemetry.Filter{}, telemetry.Key{}, 10, all, all)
	require.NoError(t, err)
	minutes, err := db.ReadMinutes(ctx, listed, telemetry.Units{From: 0, To: hour})
	require.NoError(t, err)
	require.Equal(t, []telemetry.Row{row(hour - 7*24)}, minutes, "seven days stay, what is older goes")
	days, err := db.ReadHours(ctx, listed, telemetry.Units{From: 0, To: day})
	require.NoError(t, err)
	require.Equal(t, []telemetry.Row{row(day - 90)}, days)

	// The series falls silent: its hour is still closed once the hour is over.
	for m := range 65 {
		require.NoError(t, r.Flush(ctx, t0.Add(10*time.Minute+time.Duration(m)*time.Minute)))
	}
	days, err = db.ReadHours(ctx, listed, telemetry.Units{From: day, To: day + 1})
	require.NoError(t, err)
	require.Len(t, days, 1)
	var s telemetry.Slots
	require.NoError(t, s.Parse(days[0].Packed))
	require.True(t, s.Has(12))
	require.EqualValues(t, 5*600+5*1800, s.Samples[12].Count)
}

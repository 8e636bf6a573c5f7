package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/store"
)

func raised(point string, at time.Time) *alert.Alert {
	s := alert.Sighting{Kind: alert.BadMachine, Scope: alert.Scope{App: "sn", IDC: "ea119", Scene: "k2", Point: point, Instance: "m-" + point}}
	return &alert.Alert{
		Fingerprint: s.Fingerprint(), Kind: s.Kind, Severity: alert.Warning, Scope: s.Scope, Reason: "m-" + point + " needs 50% more", Value: 0.5, Limit: 0.3,
		Places: []string{"recall/k2", "rank/k2"}, StartedAt: at.Add(-5 * time.Second), FiredAt: at,
	}
}

func system(verb string) audit.Change {
	return audit.Change{Actor: alert.Actor, Via: "loop", Verb: verb}
}

func testAlerts(t *testing.T, db *store.DB) {
	ctx := t.Context()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	a := raised("recall", at)
	require.NoError(t, db.RaiseAlert(ctx, a, system("raise")))
	require.NotEmpty(t, a.ID)
	got, err := db.GetAlert(ctx, a.ID)
	require.NoError(t, err)
	require.Equal(t, a, got)
	requireCode(t, fault.Conflict, db.RaiseAlert(ctx, raised("recall", at.Add(time.Second)), system("raise")))
	b := raised("rank", at.Add(time.Second))
	require.NoError(t, db.RaiseAlert(ctx, b, system("raise")))

	acked, err := db.AckAlert(ctx, a.ID, "on it", by("ann"))
	require.NoError(t, err)
	require.Equal(t, "ann", acked.AckedBy)
	require.Equal(t, "on it", acked.Note)
	_, err = db.AckAlert(ctx, a.ID, "me too", by("bob"))
	requireCode(t, fault.Conflict, err)
	_, err = db.AckAlert(ctx, "nobody", "", by("bob"))
	requireCode(t, fault.NotFound, err)

	acked.ResolvedAt, acked.Ending, acked.Value = at.Add(time.Minute), "not seen for 1m0s", 0.7
	end := []alert.Delivery{{Alert: a.ID, Sink: "pager", Event: alert.Resolved, NextAt: acked.ResolvedAt, CreatedAt: acked.ResolvedAt}}
	require.NoError(t, db.ResolveAlert(ctx, acked, end, system("resolve")))
	late := []alert.Delivery{{Alert: a.ID, Sink: "chat", Event: alert.Resolved, NextAt: acked.ResolvedAt, CreatedAt: acked.ResolvedAt}}
	require.NoError(t, db.ResolveAlert(ctx, acked, late, system("resolve")), "twice is once")
	told, err := db.Deliveries(ctx, a.ID, "", 10)
	require.NoError(t, err)
	require.Len(t, told, 1, "that it is over is written with its end, by who ended it")
	require.Equal(t, "pager", told[0].Sink)
	got, err = db.GetAlert(ctx, a.ID)
	require.NoError(t, err)
	require.False(t, got.Open())
	require.Equal(t, "ann", got.AckedBy)
	require.InDelta(t, 0.7, got.Value, 0)
	again := raised("recall", at.Add(2*time.Minute))
	require.NoError(t, db.RaiseAlert(ctx, again, system("raise")), "resolved: it may come again")

	ids := func(f alert.Filter) (out []string) {
		list, err := db.ListAlerts(ctx, f)
		require.NoError(t, err)
		for _, x := range list {
			out = append(out, x.ID)
		}
		return out
	}
	require.Equal(t, []string{again.ID, b.ID, a.ID}, ids(alert.Filter{}))
	require.Equal(t, []string{again.ID, b.ID}, ids(alert.Filter{Open: true}))
	require.Equal(t, []string{again.ID}, ids(alert.Filter{Limit: 1}))
	require.Equal(t, []string{b.ID, a.ID}, ids(alert.Filter{Before: again.FiredAt, BeforeID: again.ID}))
	require.Equal(t, []string{b.ID}, ids(alert.Filter{Search: "M-RANK"}))
	require.Empty(t, ids(alert.Filter{Search: "50_"}), "no pattern")
	require.Equal(t, []string{b.ID}, ids(alert.Filter{Point: "rank", App: "sn", IDC: "ea119", Scene: "k2", Kind: alert.BadMachine}))
	require.Empty(t, ids(alert.Filter{App: "other"}))
	require.Equal(t, []string{b.ID}, ids(alert.Filter{From: b.FiredAt, To: again.FiredAt}))

	n, err := db.PruneAlerts(ctx, at.Add(time.Hour))
	require.NoError(t, err)
	require.EqualValues(t, 1, n, "those that stand stay")
	require.NoError(t, verify(ctx, db))
}

func testAlertRaces(t *testing.T, db *store.DB) {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	got := race(8, func(int) error { return db.RaiseAlert(t.Context(), raised("recall", at), system("raise")) })
	require.Equal(t, map[fault.Code]int{"": 1, fault.Conflict: 7}, got)
}

func testDeliveries(t *testing.T, db *store.DB) {
	ctx := t.Context()
	now, err := db.Now(ctx)
	require.NoError(t, err)
	now = now.Truncate(time.Millisecond).UTC()
	a := raised("recall", now)
	require.NoError(t, db.RaiseAlert(ctx, a, system("raise")))
	write := func(sink string, e alert.Event) alert.Delivery {
		return alert.Delivery{Alert: a.ID, Sink: sink, Event: e, NextAt: now, CreatedAt: now}
	}
	require.NoError(t, db.Notify(ctx, a.ID, nil))
	require.NoError(t, db.Notify(ctx, a.ID, []alert.Delivery{write("s1", alert.Firing), write("s2", alert.Firing)}))
	require.NoError(t, db.Notify(ctx, a.ID, []alert.Delivery{write("s1", alert.Firing)}), "a take-over writes it again")
	got, err := db.GetAlert(ctx, a.ID)
	require.NoError(t, err)
	require.False(t, got.NotifiedAt.IsZero())

	due, err := db.DueDeliveries(ctx, "s1", now, 10)
	require.NoError(t, err)
	require.Equal(t, []alert.Delivery{write("s1", alert.Firing)}, due)
	due[0].Attempts, due[0].NextAt, due[0].Error = 1, now.Add(time.Second), "no answer"
	require.NoError(t, db.SaveDeliveries(ctx, due))
	none, err := db.DueDeliveries(ctx, "s1", now, 10)
	require.NoError(t, err)
	require.Empty(t, none)
	due, err = db.DueDeliveries(ctx, "s1", now.Add(time.Second), 10)
	require.NoError(t, err)
	require.Len(t, due, 1)
	due[0].Attempts, due[0].SentAt, due[0].Error = 2, now.Add(time.Second), ""
	require.NoError(t, db.SaveDeliveries(ctx, due))
	late := due[0]
	late.SentAt, late.Error = time.Time{}, "the predecessor's attempt ended later"
	require.NoError(t, db.SaveDeliveries(ctx, []alert.Delivery{late}))
	none, err = db.DueDeliveries(ctx, "s1", now.Add(time.Hour), 10)
	require.NoError(t, err)
	require.Empty(t, none, "sent stays sent")
	all, err := db.Deliveries(ctx, a.ID, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 2)
	of, err := db.Deliveries(ctx, "", "s1", 10)
	require.NoError(t, err)
	require.Equal(t, due, of)
}

func testAlertSettings(t *testing.T, db *store.DB) {
	ctx := t.Context()
	s := &alert.Sink{
		Name: "chat", Kind: alert.Slack, URL: "https://hooks.example.com/T/secret-token", Secret: "shh", Enabled: true, Resolved: true,
		Filter: alert.SinkFilter{App: "sn", Kinds: []alert.Kind{alert.Capacity}, Severity: alert.Critical},
	}
	require.NoError(t, db.CreateSink(ctx, s, by("ann")))
	for _, key := range []string{s.ID, "chat"} {
		got, err := db.GetSink(ctx, key)
		require.NoError(t, err)
		require.Equal(t, s, got)
	}
	requireCode(t, fault.Conflict, db.CreateSink(ctx, &alert.Sink{Name: "chat"}, by("ann")))
	mine := *s
	s.Enabled = false
	require.NoError(t, db.UpdateSink(ctx, s, by("bob")))
	require.EqualValues(t, 2, s.Version)
	requireCode(t, fault.Stale, db.UpdateSink(ctx, &mine, by("ann")))
	all, err := db.ListSinks(ctx)
	require.NoError(t, err)
	require.Equal(t, []*alert.Sink{s}, all)
	require.NoError(t, db.WalkAudit(ctx, func(e audit.Entry) error {
		require.NotContains(t, string(e.Before)+string(e.After), "secret-token")
		require.NotContains(t, string(e.Before)+string(e.After), "shh")
		return nil
	}))
	requireCode(t, fault.Stale, db.DeleteSink(ctx, s.ID, 1, by("ann")))
	require.NoError(t, db.DeleteSink(ctx, s.ID, 2, by("ann")))
	requireCode(t, fault.NotFound, db.DeleteSink(ctx, s.ID, 2, by("ann")))

	now, err := db.Now(ctx)
	require.NoError(t, err)
	now = now.Truncate(time.Millisecond).UTC()
	x := &alert.Silence{Kind: alert.BadMachine, Scope: alert.Scope{App: "sn", Instance: "m1"}, Reason: "being repaired", Start: now, End: now.Add(time.Hour)}
	require.NoError(t, db.CreateSilence(ctx, x, by("ann")))
	list, err := db.ListSilences(ctx, now)
	require.NoError(t, err)
	require.Equal(t, []alert.Silence{*x}, list)
	ended, err := db.EndSilence(ctx, x.ID, by("bob"))
	require.NoError(t, err)
	require.True(t, ended.End.Before(x.End))
	_, err = db.EndSilence(ctx, x.ID, by("bob"))
	requireCode(t, fault.Conflict, err)
	_, err = db.EndSilence(ctx, "nobody", by("bob"))
	requireCode(t, fault.NotFound, err)

	r := alert.Defaults()[0]
	r.Threshold, r.Enabled = 0.7, false
	stale := r
	require.NoError(t, db.PutRule(ctx, &r, by("ann")))
	require.EqualValues(t, 1, r.Version)
	requireCode(t, fault.Stale, db.PutRule(ctx, &stale, by("bob")))
	require.NoError(t, db.PutRule(ctx, &r, by("bob")))
	rules, err := db.ListRules(ctx)
	require.NoError(t, err)
	require.Equal(t, []alert.Rule{r}, rules)
	require.NoError(t, verify(ctx, db))
}

package restapi

import (
	"time"

	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/api"
)

func toAlertScope(s alert.Scope) api.AlertScope { return api.AlertScope(s) }

func toAlert(a *alert.Alert, silences []alert.Silence, now time.Time) api.Alert {
	out := api.Alert{
		ID: a.ID, Kind: string(a.Kind), Severity: string(a.Severity), State: "firing", Title: a.Title(), Scope: toAlertScope(a.Scope), Reason: a.Reason,
		Value: a.Value, Limit: a.Limit, Places: mapped(a.Places, func(s string) string { return s }), StartedAt: a.StartedAt, FiredAt: a.FiredAt,
		ResolvedAt: timePtr(a.ResolvedAt), Ending: a.Ending, AckedBy: a.AckedBy, AckedAt: timePtr(a.AckedAt), Note: a.Note, NotifiedAt: timePtr(a.NotifiedAt),
	}
	if s := alert.Covering(silences, a, now); s != nil && a.Open() {
		out.Silence = s.ID
	}
	switch {
	case !a.Open():
		out.State = "resolved"
	case out.Silence != "":
		out.State = "silenced"
	case a.AckedBy != "":
		out.State = "acked"
	}
	return out
}

func toDelivery(name string) func(alert.Delivery) api.AlertDelivery {
	return func(d alert.Delivery) api.AlertDelivery {
		out := api.AlertDelivery{
			Alert: d.Alert, Sink: name, Event: string(d.Event), State: "waiting", Attempts: d.Attempts, At: d.CreatedAt, SentAt: timePtr(d.SentAt), Error: d.Error,
		}
		switch {
		case !d.SentAt.IsZero():
			out.State = "sent"
		case d.GivenUp:
			out.State = "given_up"
		}
		return out
	}
}

func toSilence(now time.Time) func(alert.Silence) api.AlertSilence {
	return func(s alert.Silence) api.AlertSilence {
		return api.AlertSilence{
			ID: s.ID, Kind: string(s.Kind), Scope: toAlertScope(s.Scope), Reason: s.Reason, Start: s.Start, End: s.End,
			Active: !now.Before(s.Start) && now.Before(s.End), CreatedBy: s.CreatedBy, CreatedAt: s.CreatedAt,
		}
	}
}

func toRule(r *alert.Rule) api.AlertRule {
	out := api.AlertRule{
		Kind: string(r.Kind), Enabled: r.Enabled, Severity: string(r.Severity), Unit: "none", Threshold: r.Threshold, For: r.For.String(), Clear: r.Clear.String(),
		Default: r.Version == 0, Version: r.Version, UpdatedBy: r.UpdatedBy, UpdatedAt: timePtr(r.UpdatedAt),
	}
	switch {
	case r.Kind.Shared():
		out.Unit = "share"
	case r.Kind.Counted():
		out.Unit = "count"
	}
	return out
}

func toSink(s *alert.Sink, recent []alert.Delivery) api.AlertSink {
	return api.AlertSink{
		ID: s.ID, Name: s.Name, Kind: string(s.Kind), Host: s.ShownURL(), Signed: s.Secret != "", Enabled: s.Enabled, Resolved: s.Resolved,
		App: s.Filter.App, IDC: s.Filter.IDC, Kinds: mapped(s.Filter.Kinds, func(k alert.Kind) string { return string(k) }), Severity: string(s.Filter.Severity),
		Recent: mapped(recent, toDelivery(s.Name)), Version: s.Version, UpdatedBy: s.UpdatedBy, UpdatedAt: s.UpdatedAt,
	}
}

func fromSink(in *api.AlertSinkInput) *alert.Sink {
	s := &alert.Sink{
		Name: in.Name, Kind: alert.SinkKind(in.Kind), URL: in.URL, Secret: in.Secret, Enabled: in.Enabled, Resolved: in.Resolved,
		Filter: alert.SinkFilter{App: in.App, IDC: in.IDC, Severity: alert.Severity(in.Severity)},
	}
	for _, k := range in.Kinds {
		s.Filter.Kinds = append(s.Filter.Kinds, alert.Kind(k))
	}
	return s
}

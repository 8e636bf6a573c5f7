package alert

import (
	"context"
	"time"

	"github.com/allspark/allspark/server/audit"
)

// Store keeps alerts, silences, sinks, rules and deliveries. Every change but
// those of deliveries is audited in the same transaction.
type Store interface {
	// RaiseAlert writes a new alert. It is fault.Conflict while another of its
	// fingerprint stands: two replicas never raise one fault twice.
	RaiseAlert(ctx context.Context, a *Alert, c audit.Change) error
	// ResolveAlert ends one that stands, with its last value, and writes what is to be
	// sent of it; nil, and nothing written, when it is ended already.
	ResolveAlert(ctx context.Context, a *Alert, ds []Delivery, c audit.Change) error
	// AckAlert notes who looks after it; fault.Conflict when somebody does already.
	AckAlert(ctx context.Context, id, note string, c audit.Change) (*Alert, error)
	GetAlert(ctx context.Context, id string) (*Alert, error)
	ListAlerts(ctx context.Context, f Filter) ([]*Alert, error)
	// PruneAlerts drops what was resolved before.
	PruneAlerts(ctx context.Context, before time.Time) (int64, error)

	// Notify writes what is to be sent, once a key, and marks the alert notified.
	Notify(ctx context.Context, alertID string, ds []Delivery) error
	// DueDeliveries gives what waits for a sink and is due at now, oldest first.
	DueDeliveries(ctx context.Context, sink string, now time.Time, limit int) ([]Delivery, error)
	// SaveDeliveries writes how an attempt ended.
	SaveDeliveries(ctx context.Context, ds []Delivery) error
	// Deliveries gives those of an alert, or the newest of a sink.
	Deliveries(ctx context.Context, alertID, sink string, limit int) ([]Delivery, error)

	CreateSilence(ctx context.Context, s *Silence, c audit.Change) error
	// EndSilence ends one now.
	EndSilence(ctx context.Context, id string, c audit.Change) (*Silence, error)
	// ListSilences gives those that end after from, by start.
	ListSilences(ctx context.Context, from time.Time) ([]Silence, error)

	CreateSink(ctx context.Context, s *Sink, c audit.Change) error
	UpdateSink(ctx context.Context, s *Sink, c audit.Change) error
	DeleteSink(ctx context.Context, id string, version int64, c audit.Change) error
	// GetSink finds one by id or name.
	GetSink(ctx context.Context, id string) (*Sink, error)
	ListSinks(ctx context.Context) ([]*Sink, error)

	// ListRules gives what was saved; PutRule writes one if its version stands.
	ListRules(ctx context.Context) ([]Rule, error)
	PutRule(ctx context.Context, r *Rule, c audit.Change) error
}

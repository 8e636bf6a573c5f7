package experiment

import (
	"context"
	"time"

	"github.com/allspark/allspark/server/audit"
)

// Store keeps experiments and what was measured of them.
type Store interface {
	CreateExperiment(ctx context.Context, x *Experiment, c audit.Change) error
	// SaveExperiment replaces one of the version it has; fault.Stale otherwise. check
	// sees the experiments that run, in the same transaction as the write, and may
	// refuse; it may be nil.
	SaveExperiment(ctx context.Context, x *Experiment, check func(running []*Experiment, now time.Time) error, c audit.Change) error
	// DeleteExperiment forgets one, and what was measured of it.
	DeleteExperiment(ctx context.Context, id string, version int64, c audit.Change) error
	// GetExperiment finds one by name or id.
	GetExperiment(ctx context.Context, id string) (*Experiment, error)
	// ListExperiments gives those in a state, all when it is "", newest first.
	ListExperiments(ctx context.Context, state State, limit int) ([]*Experiment, error)

	// SaveSpans writes spans as they stand now, in place of what was there.
	SaveSpans(ctx context.Context, spans []*Span) error
	// GetSpan finds one that an earlier run of the writer began; nil when it did not.
	GetSpan(ctx context.Context, k SpanKey) (*Span, error)
	// Spans gives all of an experiment's.
	Spans(ctx context.Context, id string) ([]*Span, error)
	// Now is reference time.
	Now(ctx context.Context) (time.Time, error)
}

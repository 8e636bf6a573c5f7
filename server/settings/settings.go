// Package settings keeps what an administrator may change while the controllers
// run: retention of history and the rules for agents that fell silent. What must
// be known before the database opens is in config instead.
//
// When things fail: without a stored row the process's configuration stands. A
// replica that cannot read goes on with the last settings it read.
package settings

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
)

// Settings are the values in force.
type Settings struct {
	RetentionMinutes time.Duration // history by minute is kept this long
	RetentionHours   time.Duration // history by hour is kept this long
	StaleAfter       time.Duration // silence after which a connected agent is stale
	ForgetAfter      time.Duration // silence after which a disconnected agent is dropped
	Version          int64         // ETag; 0 while nothing is stored
	UpdatedBy        string
	UpdatedAt        time.Time
}

// Store keeps one row.
type Store interface {
	// GetSettings gives nil when nothing was ever stored.
	GetSettings(ctx context.Context) (*Settings, error)
	// PutSettings writes s if s.Version is the stored one (0 for none), raises it
	// and appends the change to the audit log in the same transaction.
	PutSettings(ctx context.Context, s *Settings, c audit.Change) error
}

// Check names every value out of its range.
func (s *Settings) Check() gear.Problems {
	const day = 24 * time.Hour
	var ps gear.Problems
	for _, b := range []struct {
		path          string
		got, min, max time.Duration
	}{
		{"retention_minutes", s.RetentionMinutes, time.Hour, 365 * day},
		{"retention_hours", s.RetentionHours, day, 5 * 365 * day},
		{"stale_after", s.StaleAfter, time.Second, time.Hour},
		{"forget_after", s.ForgetAfter, time.Minute, 365 * day},
	} {
		if b.got < b.min || b.got > b.max {
			ps = append(ps, gear.Problem{
				Path: b.path, Code: gear.CodeRange,
				Message: fmt.Sprintf("%s wants %v..%v, got %v", b.path, b.min, b.max, b.got),
			})
		}
	}
	return ps
}

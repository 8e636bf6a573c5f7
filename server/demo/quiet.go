package demo

import (
	"context"
	"log/slog"
)

// warnings passes on warnings and errors: three dozen agents that each say that
// all is well would hide what a newcomer looks for.
type warnings struct{ slog.Handler }

// Enabled reports whether a record of the level is passed on.
func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

// WithAttrs keeps the limit.
func (w warnings) WithAttrs(a []slog.Attr) slog.Handler { return warnings{w.Handler.WithAttrs(a)} }

// WithGroup keeps the limit.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }

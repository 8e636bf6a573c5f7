package staged

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Timeline is what was staged; the zero value holds nothing. It is not for
// concurrent use.
type Timeline struct {
	held   *gear.Staged
	tables []gear.LevelTable
}

// Put takes staged steps in place of those held, unless they are older.
func (t *Timeline) Put(s *gear.Staged, tables []gear.LevelTable) (taken bool) {
	if t.held != nil && s.AsOf.Before(t.held.AsOf) {
		return false
	}
	t.held, t.tables = s, tables
	return true
}

// Hash names what is held, "" when nothing is.
func (t *Timeline) Hash() string {
	if t.held == nil {
		return ""
	}
	return t.held.Hash
}

// Held gives what is held, nil for nothing; it must not be changed.
func (t *Timeline) Held() *gear.Staged { return t.held }

// Tables gives the level tables that the held sets name.
func (t *Timeline) Tables() []gear.LevelTable { return t.tables }

// Due gives the entry whose instant came last, nil before the first.
func (t *Timeline) Due(reference time.Time) *gear.StagedEntry {
	if t.held == nil {
		return nil
	}
	var due *gear.StagedEntry
	for i := range t.held.Entries {
		if e := &t.held.Entries[i]; !e.At.After(reference) {
			due = e
		}
	}
	return due
}

// Next gives the first instant after reference at which something is due.
func (t *Timeline) Next(reference time.Time) (at time.Time, ok bool) {
	if t.held == nil {
		return at, false
	}
	for i := range t.held.Entries {
		if e := &t.held.Entries[i]; e.At.After(reference) {
			return e.At, true
		}
	}
	return at, false
}

// Counts decides whether the due entry is in force.
//
// Decided is the instant the held set was decided for, zero without one; ladder
// is the rung that the held set stands on; fresh tells that less than the TTL
// passed since the entry's instant or the last word from a controller.
func Counts(e *gear.StagedEntry, decided time.Time, ladder gear.Rung, fresh bool) bool {
	switch {
	case e == nil:
		return false
	case decided.Before(e.At):
		return e.Peak || fresh
	default:
		// The controller knew the step, but its word has run out: at a peak the
		// step is the bound of what defaults may do.
		return e.Peak && ladder == gear.RungDefault
	}
}

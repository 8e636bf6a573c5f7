package control

import (
	"context"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/template"
)

// Field is the one thing a claim wishes to set.
type Field string

// The fields. Decide resolves each alone.
const (
	FieldLevel       Field = "level"
	FieldStrategy    Field = "strategy"
	FieldAvailableRT Field = "available_rt"
	FieldTimeout     Field = "timeout"
	FieldTarget      Field = "target_rt"
	FieldBudget      Field = "budget"
	FieldBinding     Field = "binding"
	// FieldBucket sets nothing: it has the bucket of its scope ordered, and so
	// measured, by itself, whether or not anything differs there.
	FieldBucket Field = "bucket"
)

// Source is where a claim comes from.
type Source uint8

// The sources in order of precedence. Emergency stands outside the order: it
// can only lower a level.
const (
	SourceEmergency Source = iota + 1
	SourceManual
	SourcePlan
	SourcePreset
	SourceFeedback
	SourceTemplate // the template's default, never stored as a claim
	// SourceExperiment stands between plan and preset: see rank. Its number is the
	// last because numbers are stored.
	SourceExperiment
)

var sourceNames = [...]string{"", "emergency", "manual", "plan", "preset", "feedback", "template", "experiment"}

// rank orders sources by precedence, the stronger first.
func (s Source) rank() int {
	if s == SourceExperiment {
		return 2*int(SourcePlan) + 1
	}
	return 2 * int(s)
}

// pins tells whether a level or timeout of the source is exact, where one of the
// others is where a local loop starts.
func (s Source) pins() bool {
	return s == SourceManual || s == SourcePlan || s == SourceExperiment
}

// String gives the source's name in API and console.
func (s Source) String() string {
	if int(s) < len(sourceNames) {
		return sourceNames[s]
	}
	return "unknown"
}

// ParseSource is the inverse of String.
func ParseSource(s string) (Source, bool) {
	for i, n := range sourceNames {
		if i > 0 && n == s {
			return Source(i), true
		}
	}
	return 0, false
}

// Scope says where a claim applies; gear.Any in a field means everywhere.
type Scope struct{ Scene, IDC, App, Point, Bucket string }

// Claim is a wish that a field be so, with its source, reason and end.
//
// INVARIANT: a claim is never edited but for its End: extending, releasing and
// undoing all leave the trail that "why this gear" walks at a past second.
type Claim struct {
	ID        string
	Field     Field
	Scope     Scope
	Level     int           // FieldLevel
	Duration  time.Duration // FieldAvailableRT, FieldTimeout, FieldTarget
	Strategy  gear.Strategy // FieldStrategy
	Number    float64       // FieldBudget
	Template  string        // FieldBinding: template id
	Pin       int           // FieldBinding: version, 0 = latest
	Source    Source
	Origin    string // the plan step, feedback rule … that made it
	Author    string
	Reason    string
	Start     time.Time
	End       time.Time // mandatory for manual claims
	CreatedAt time.Time
	Released  time.Time // zero while it stands; the end that counts is the earlier of the two
	ReleaseBy string
	Version   int64 // ETag
}

// Active reports whether the claim counts at now.
func (c *Claim) Active(now time.Time) bool {
	if now.Before(c.Start) || !c.End.IsZero() && !now.Before(c.End) {
		return false
	}
	return c.Released.IsZero() || now.Before(c.Released)
}

// ClaimFilter selects claims.
type ClaimFilter struct {
	Scope  Scope // "" in a field does not filter
	Field  Field
	Source Source    // 0: any
	Active time.Time // zero: any time
	// From and To select claims that counted at some time in [From, To).
	From, To time.Time
	After    string
	Limit    int
}

// ShiftFilter selects lines of the journal; zero fields do not filter.
type ShiftFilter struct {
	App, IDC string
	// Within are the places the reader may see, gear.Any in a field for all; nil
	// for no limit.
	Within   []Place
	From, To time.Time // [From, To)
	Below    int64     // only lower revisions: where the page before ended
	Limit    int
}

// Place is an app in an IDC.
type Place struct{ App, IDC string }

// Shift is one line of the journal: at a revision, the order set of one
// app x IDC became this, because of that.
type Shift struct {
	Version  gear.Version
	App, IDC string
	At       time.Time // reference time
	Hash     string
	Cause    string   // short sentence: what changed
	Causes   []Cause  // the same, to be worded; none in old lines
	Claims   []string // ids that came or went
	Set      gear.OrderSet
	Tables   []gear.LevelTable // only those new in this shift; the store keeps each once
	Basis    Basis             // what the decision looked at
}

// Basis is the Input of a shift, small enough to journal with it: one JSON
// column. "Why this gear" at a past second replays Decide on it, so it holds
// claims and bindings as they were read, not their ids: a release that commits
// while a decision is made must not change what that decision saw.
//
// Template versions are immutable and therefore only named. GetVersion must
// answer for them as long as the journal is kept, deleted templates included.
type Basis struct {
	Now      time.Time
	Points   []string
	Scenes   []string
	Bindings []*template.Binding // those that can match this app x IDC
	Versions []VersionRef
	Claims   []*Claim // active and able to match this app x IDC
}

// VersionRef names a template version; Latest tells that it was the newest.
type VersionRef struct {
	TemplateID string
	Name       string // of the template, then
	Number     int
	Latest     bool
}

// Input is everything Decide looks at for one app x IDC. It is a value: the same
// input gives the same decision, live, in a test, in the lab and when "why"
// replays a past second.
type Input struct {
	App, IDC string
	Points   []string // declared by agents or named by bindings
	Scenes   []string // besides gear.Any: named by claims or bindings
	Bindings []*template.Binding
	Versions map[string]map[int]*template.Version // template id -> number; [0] is the latest
	Names    map[string]string                    // template id -> name, as orders show it
	Claims   []*Claim
	Now      time.Time
}

// Store keeps claims and the journal.
type Store interface {
	CreateClaim(ctx context.Context, c *Claim, ch audit.Change) error
	// UpdateClaim changes End or Released only.
	UpdateClaim(ctx context.Context, c *Claim, ch audit.Change) error
	GetClaim(ctx context.Context, id string) (*Claim, error)
	ListClaims(ctx context.Context, f ClaimFilter) (items []*Claim, next string, err error)
	// ClaimsAt gives every claim that was active at t.
	ClaimsAt(ctx context.Context, t time.Time) ([]*Claim, error)

	// AppendShift takes the next revision, if the lease's fencing epoch still
	// stands (fault.Stale otherwise), and fills s.Version, s.Set's version and
	// s.At. It keeps s.Basis with it and each table of s.Tables once by hash.
	AppendShift(ctx context.Context, s *Shift, fence int64) error
	// ShiftsSince gives shifts after v in order, at most limit, each with every
	// table its set refers to; the basis may be left out.
	ShiftsSince(ctx context.Context, v gear.Version, limit int) ([]*Shift, error)
	// LatestShifts gives the newest shift of every app x IDC with its set and
	// the tables it refers to; the basis may be left out.
	LatestShifts(ctx context.Context) ([]*Shift, error)
	// ShiftAt gives the shift of an app x IDC that was in force at t, with basis
	// and tables; fault.NotFound when there was none yet.
	ShiftAt(ctx context.Context, app, idc string, t time.Time) (*Shift, error)
	// PageShifts gives shifts of every app x IDC that f selects, newest first and
	// without sets, tables and basis. next is what Below continues with, 0 at the end.
	PageShifts(ctx context.Context, f ShiftFilter) (items []*Shift, next int64, err error)
	// ListShifts gives an app x IDC's shifts in [from, to), newest first.
	ListShifts(ctx context.Context, app, idc string, from, to time.Time, limit int) ([]*Shift, error)
	// RaiseEpoch sets the epoch to at least e and returns it.
	RaiseEpoch(ctx context.Context, e int64) (int64, error)
	// Now is reference time: the database's.
	Now(ctx context.Context) (time.Time, error)
}

// Pruner drops what retention no longer covers, and tells how much.
type Pruner interface {
	// PruneShifts keeps of every app x IDC the shift in force at before.
	PruneShifts(ctx context.Context, before time.Time) (int64, error)
	// PruneTables drops level tables that no shift left in the journal names. Call it
	// after PruneShifts.
	PruneTables(ctx context.Context, before time.Time) (int64, error)
	// PruneClaims drops claims that ended before and that no older shift left in the
	// journal names.
	PruneClaims(ctx context.Context, before time.Time) (int64, error)
}

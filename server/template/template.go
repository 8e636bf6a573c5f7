package template

import (
	"context"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
)

// MaxLevels bounds N: levels are 1..N, N <= MaxLevels.
const MaxLevels = 100

// Interpolation says how a numeric parameter moves between anchor levels.
type Interpolation string

// The interpolations.
const (
	Linear    Interpolation = "linear"
	Geometric Interpolation = "geometric" // equal ratios; both anchors must be positive
	Step      Interpolation = "step"      // the value of the anchor below
)

// Parameter is a column of the template: its type and how it fills the levels
// between anchors. Kinds without numbers always step.
type Parameter struct {
	gear.Param
	Interpolation Interpolation
	// Cost marks the parameter that says how much work a level is; at most one.
	// Without one, work is level / N.
	Cost bool
}

// Anchor is a gear its author wrote down. The lowest anchor must be level 1 and
// must set every parameter.
type Anchor struct {
	Level int
	Set   map[string]gear.Value
}

// Strategy is how the level is regulated, with typed settings.
type Strategy struct {
	Kind     gear.Strategy
	Settings map[string]gear.Value
}

// Spec is the content of a template version. It is immutable once published.
type Spec struct {
	Parameters        []Parameter
	Levels            int // N
	Default, Min, Max int // start, floor and ceiling of the level
	Strategy          Strategy
	Anchors           []Anchor // by rising level
}

// Template is a named line of versions with at most one draft.
type Template struct {
	ID          string
	Name        string // unique, [a-z0-9][a-z0-9._-]{0,62}
	Description string
	Tags        []string
	Draft       *Spec // nil when nothing is being edited
	Latest      int   // newest published version, 0 when none
	Version     int64 // rises with every write: the ETag
	CopiedFrom  string
	CreatedBy   string
	CreatedAt   time.Time
	UpdatedBy   string
	UpdatedAt   time.Time
}

// Version is one published, immutable Spec.
type Version struct {
	TemplateID string
	Number     int // 1, 2, 3 … within the template
	Spec       Spec
	Hash       string // of the expanded level table
	Author     string
	Reason     string
	RolledBack int // the version this one restores, 0 otherwise
	At         time.Time
}

// Selector says where a binding applies; gear.Any in a field means everywhere.
type Selector struct{ Scene, IDC, App, Point string }

// Binding says which template version serves a selector. The most specific
// matching binding wins; two of equal specificity that can both match are
// refused on save.
type Binding struct {
	ID         string
	Selector   Selector
	TemplateID string
	Template   string // name, filled on read
	Pin        int    // version number; 0 follows the latest
	Version    int64  // ETag
	CreatedBy  string
	CreatedAt  time.Time
	UpdatedBy  string
	UpdatedAt  time.Time
}

// Filter selects templates by text (name, description, tags) and tags, sorted by an allow-listed field.
type Filter struct {
	Search string
	Tags   []string
	Sort   string // name, updated_at; "-" in front reverses
	After  string // opaque cursor
	Limit  int
}

// Store keeps templates, versions and bindings. Implementations check Version
// against the stored one (fault.Stale with base and theirs otherwise), keep names
// unique (fault.Conflict) and append the change to the audit log in the same
// transaction. Objects are passed by pointer where the store fills in fields.
type Store interface {
	CreateTemplate(ctx context.Context, t *Template, c audit.Change) error
	UpdateTemplate(ctx context.Context, t *Template, c audit.Change) error
	// PublishTemplate writes v as the next version, clears the draft and sets Latest, if t.Version still stands.
	PublishTemplate(ctx context.Context, t *Template, v *Version, c audit.Change) error
	// DeleteTemplate refuses (fault.Conflict) while a binding uses it.
	DeleteTemplate(ctx context.Context, id string, version int64, c audit.Change) error
	GetTemplate(ctx context.Context, id string) (*Template, error)
	FindTemplate(ctx context.Context, name string) (*Template, error)
	ListTemplates(ctx context.Context, f Filter) (items []*Template, next string, err error)
	GetVersion(ctx context.Context, templateID string, number int) (*Version, error)
	ListVersions(ctx context.Context, templateID string) ([]*Version, error)

	CreateBinding(ctx context.Context, b *Binding, c audit.Change) error
	UpdateBinding(ctx context.Context, b *Binding, c audit.Change) error
	DeleteBinding(ctx context.Context, id string, version int64, c audit.Change) error
	GetBinding(ctx context.Context, id string) (*Binding, error)
	// ListBindings gives all of them: there are hundreds, not millions.
	ListBindings(ctx context.Context) ([]*Binding, error)
}

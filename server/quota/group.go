package quota

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/template"
)

// Group is the machines that share one budget.
type Group struct {
	ID          string
	Name        string // unique
	Description string
	// Members select the places whose requests count, scene x IDC x app x point. A
	// place belongs to one group at most.
	Members  []template.Selector
	Settings Settings
	Enabled  bool // false: nothing is sent, agents answer with their defaults

	Version   int64 // ETag
	CreatedBy string
	CreatedAt time.Time
	UpdatedBy string
	UpdatedAt time.Time
}

const (
	maxMembers     = 64
	maxDescription = 1000
)

// Check tells everything that is wrong with a group by itself.
func (g *Group) Check() gear.Problems {
	var out gear.Problems
	if !gear.PlaceName(g.Name) {
		out.Add("name", gear.CodeName, fmt.Sprintf("name wants letters, digits, . _ -, at most %d bytes, got %q", gear.MaxName, gear.Shown(g.Name)))
	}
	if len(g.Description) > maxDescription || !utf8.ValidString(g.Description) {
		out.Add("description", gear.CodeLength, fmt.Sprintf("description wants at most %d bytes of text", maxDescription))
	}
	if n := len(g.Members); n < 1 || n > maxMembers {
		out.Add("members", gear.CodeLength, fmt.Sprintf("a group wants 1..%d members, got %d", maxMembers, n))
	}
	for i, m := range g.Members {
		path := fmt.Sprintf("members[%d]", i)
		out = append(out, m.Check().Under(path)...)
		if m.App == gear.Any || m.Point == gear.Any {
			out.Add(path, gear.CodeRequired, "a member names its app and point: the cost of a candidate is theirs")
		}
		for k := range i {
			if g.Members[k].Overlaps(m) {
				out.Add(path, gear.CodeDuplicate, fmt.Sprintf("%s covers places that %s covers too", m, g.Members[k]))
				break
			}
		}
	}
	return append(out, g.Settings.Check()...)
}

// Clash finds another group that has a place in common with g.
func Clash(all []*Group, g *Group) (other *Group, mine, theirs template.Selector) {
	for _, o := range all {
		if o.ID == g.ID {
			continue
		}
		for _, m := range g.Members {
			for _, n := range o.Members {
				if m.Overlaps(n) {
					return o, m, n
				}
			}
		}
	}
	return nil, mine, theirs
}

// Covers reports whether the group has a member at app x IDC.
func (g *Group) Covers(app, idc string) bool {
	return slices.ContainsFunc(g.Members, func(m template.Selector) bool {
		return m.App == app && (m.IDC == gear.Any || m.IDC == idc)
	})
}

// Minute is what a group did in a minute.
type Minute struct {
	Group string
	At    time.Time // its beginning, reference time

	Ticks    int64 // looked at
	Consumed float64
	Requests float64
	Sum      float64 // mean of sum/total
	SumMax   float64
	Base     float64 // mean
	BaseMin  float64
	BaseMax  float64
	Fallback float64 // mean share of agents that answered by themselves
	Agents   float64 // mean
	Machines int     // known of the group at its end
	CPU      float64 // mean of the machines, -1 unknown
	Build    string
}

// Store keeps groups and their history.
type Store interface {
	CreateGroup(ctx context.Context, g *Group, c audit.Change) error
	// UpdateGroup fails with fault.Stale unless g.Version is the newest.
	UpdateGroup(ctx context.Context, g *Group, c audit.Change) error
	DeleteGroup(ctx context.Context, id string, version int64, c audit.Change) error
	// GetGroup finds one by id or name.
	GetGroup(ctx context.Context, id string) (*Group, error)
	// ListGroups gives all, by name.
	ListGroups(ctx context.Context) ([]*Group, error)

	// SaveQuotaMinutes keeps rollups; the same minute again replaces.
	SaveQuotaMinutes(ctx context.Context, m []Minute) error
	// QuotaMinutes gives those of a group in [from, to), by time.
	QuotaMinutes(ctx context.Context, group string, from, to time.Time) ([]Minute, error)
	// PruneQuotaMinutes forgets what is older.
	PruneQuotaMinutes(ctx context.Context, before time.Time) (int64, error)
}

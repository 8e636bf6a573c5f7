package plan

import (
	"time"

	"github.com/allspark/allspark/server/audit"
)

// Freeze is a time in which nobody changes what machines do: the hours before a
// peak. What was planned before still fires.
type Freeze struct {
	ID        string
	App, IDC  string // gear.Any for all
	From      time.Time
	Until     time.Time
	Reason    string
	CreatedBy string
	CreatedAt time.Time
}

// Glass is leave to change things in a freeze. It counts once a second person
// has approved it, and every change made with it is flagged.
type Glass struct {
	ID          string
	RequestedBy string
	RequestedAt time.Time
	Reason      string
	Until       time.Time
	ApprovedBy  string
	ApprovedAt  time.Time
}

// MaxGlass is how long the glass may stay broken.
const MaxGlass = 4 * time.Hour

// Stands reports whether the grant counts at now.
func (g *Glass) Stands(now time.Time) bool {
	return g.ApprovedBy != "" && g.ApprovedBy != g.RequestedBy && now.Before(g.Until)
}

// frozenKinds are the objects that decide what machines do.
var frozenKinds = map[string]bool{
	"template": true, "binding": true, "claim": true, "plan": true, "scene": true, "allocation": true, "quota-group": true,
	"experiment": true,
}

// safeVerbs only take plans and experiments out of force; they are allowed in a freeze.
var safeVerbs = map[string]bool{"stop": true, "hold": true, "skip": true}

// Frozen finds the freeze that forbids a change at now, nil when none does. Loops
// and plans act in a freeze as before: their actors begin with "system:".
func Frozen(freezes []Freeze, c *audit.Change, now time.Time) *Freeze {
	if !frozenKinds[c.Kind] || (c.Kind == "plan" || c.Kind == "experiment") && safeVerbs[c.Verb] || len(c.Actor) > 7 && c.Actor[:7] == "system:" {
		return nil
	}
	for i := range freezes {
		f := &freezes[i]
		if now.Before(f.From) || !now.Before(f.Until) {
			continue
		}
		if (wide(f.App) || wide(c.App) || f.App == c.App) && (wide(f.IDC) || wide(c.IDC) || f.IDC == c.IDC) {
			return f
		}
	}
	return nil
}

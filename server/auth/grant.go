package auth

import (
	"fmt"

	"github.com/allspark/allspark/proto/gear"
)

// Role is a named set of verbs.
type Role string

// The roles, each a superset of the one before.
const (
	Viewer   Role = "viewer"
	Operator Role = "operator"
	Admin    Role = "admin"
)

// Verb is one thing a caller may do.
type Verb string

// The verbs.
const (
	Read     Verb = "read"     // see points, agents, templates, claims, history
	Edit     Verb = "edit"     // create, change, copy and delete templates
	Publish  Verb = "publish"  // publish and roll back templates
	Bind     Verb = "bind"     // create, change and delete bindings
	Set      Verb = "claim"    // set, extend and release claims
	Agents   Verb = "agents"   // ban and unban agents
	Audit    Verb = "audit"    // read the audit log
	Access   Verb = "access"   // users, tokens, enrolment tokens
	Settings Verb = "settings" // retention and rules
	Wall     Verb = "wall"     // read the wall: what a token is narrowed to for a screen
)

// verbs of each role. Audit belongs to operators too: who overrides a level at
// night must see who did it before.
var verbs = map[Role][]Verb{
	Viewer:   {Read, Wall},
	Operator: {Read, Wall, Edit, Publish, Bind, Set, Agents, Audit},
	Admin:    {Read, Wall, Edit, Publish, Bind, Set, Agents, Audit, Access, Settings},
}

// Grant gives a role on app x IDC. gear.Any stands for all of them; Verb "" or
// gear.Any for every verb of the role.
type Grant struct {
	Role Role   `json:"role"`
	App  string `json:"app"`
	IDC  string `json:"idc"`
	Verb Verb   `json:"verb,omitempty"`
}

// Allows reports whether g covers the verb on app and idc. An app or idc of
// gear.Any asks for all of them, which only a grant on all of them covers.
func (g Grant) Allows(v Verb, app, idc string) bool {
	if g.App != gear.Any && g.App != app || g.IDC != gear.Any && g.IDC != idc {
		return false
	}
	return g.has(v)
}

func (g Grant) has(v Verb) bool {
	if g.Verb != "" && g.Verb != gear.Any && g.Verb != v {
		return false
	}
	for _, w := range verbs[g.Role] {
		if w == v {
			return true
		}
	}
	return false
}

// CheckGrants names every grant that makes no sense.
func CheckGrants(grants []Grant) gear.Problems {
	var ps gear.Problems
	bad := func(i int, field, code, format string, args ...any) {
		ps = append(ps, gear.Problem{
			Path: fmt.Sprintf("grants[%d].%s", i, field), Code: code, Message: fmt.Sprintf(format, args...),
		})
	}
	if len(grants) > MaxGrants {
		return gear.Problems{{Path: "grants", Code: "range", Message: fmt.Sprintf("at most %d grants, got %d", MaxGrants, len(grants))}}
	}
	for i, g := range grants {
		if _, ok := verbs[g.Role]; !ok {
			bad(i, "role", "enum", "role is viewer, operator or admin, got %q", g.Role)
		} else if g.Verb != "" && g.Verb != gear.Any && !(Grant{Role: g.Role}).has(g.Verb) {
			bad(i, "verb", "enum", "role %s has no verb %q", g.Role, g.Verb)
		}
		if !validScope(g.App) {
			bad(i, "app", "pattern", "app is a name or *, got %q", g.App)
		}
		if !validScope(g.IDC) {
			bad(i, "idc", "pattern", "idc is a name or *, got %q", g.IDC)
		}
	}
	return ps
}

// MaxGrants bounds what one user or token carries, because every check walks it.
const MaxGrants = 100

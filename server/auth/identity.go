package auth

import (
	"slices"
	"time"
)

// Kind of caller.
type Kind string

// The kinds of caller.
const (
	KindUser  Kind = "user"
	KindToken Kind = "token"
)

// Identity is an authenticated caller. It is a value of one moment: long-lived
// streams ask Service.Current whether it still stands.
type Identity struct {
	Kind     Kind
	ID       string
	Name     string
	Display  string
	Grants   []Grant
	Expires  time.Time
	Audience string // console or cli; "" for API tokens

	jti   string
	epoch int64
}

// Actor is how the audit log names the caller.
func (i *Identity) Actor() string {
	if i.Kind == KindToken {
		return "token:" + i.Name
	}
	return i.Name
}

// Can reports whether the caller may do v on app and idc; gear.Any asks for all.
func (i *Identity) Can(v Verb, app, idc string) bool {
	return slices.ContainsFunc(i.Grants, func(g Grant) bool { return g.Allows(v, app, idc) })
}

// CanSomewhere reports whether some grant covers v on some app and IDC.
func (i *Identity) CanSomewhere(v Verb) bool {
	return slices.ContainsFunc(i.Grants, func(g Grant) bool { return g.has(v) })
}

// Covers reports whether the caller may hand these grants on: nobody gives what
// they do not have.
func (i *Identity) Covers(grants []Grant) bool {
	for _, g := range grants {
		for _, v := range verbs[g.Role] {
			if g.has(v) && !i.Can(v, g.App, g.IDC) {
				return false
			}
		}
	}
	return true
}

// Verbs lists the verbs for which ok holds, in a fixed order.
func Verbs(ok func(Verb) bool) []Verb {
	out := []Verb{}
	for _, v := range verbs[Admin] {
		if ok(v) {
			out = append(out, v)
		}
	}
	return out
}

// AgentIdentity is what an agent's credential says.
type AgentIdentity struct{ App, IDC, Instance string }

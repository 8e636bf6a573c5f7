package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// causeParts bounds how many causes are named.
const causeParts = 3

// Cause is one thing that led to a shift: a code and what fills it in, so that a
// console can word it in its reader's language.
type Cause struct {
	Code string
	Args []string
}

// The codes of causes, each with its arguments.
const (
	claimSet       = "claim_set"   // source, author, value, scope, reason
	claimEnded     = "claim_ended" // source, author, value, scope
	bound          = "bound"       // selector, template
	rebound        = "rebound"     // selector
	unbound        = "unbound"     // selector, template
	published      = "published"   // template, version
	pointsDeclared = "points_declared"
	decidedAnew    = "decided_anew"
	moreCauses     = "more" // how many
)

// CauseCodes lists every code, sorted.
func CauseCodes() []string {
	return []string{bound, claimEnded, claimSet, decidedAnew, moreCauses, pointsDeclared, published, rebound, unbound}
}

// Causes tells what led from one basis to the next, and lists the claims that
// came or went. before is nil for the first shift.
func Causes(before *Basis, after *Basis) (causes []Cause, claims []string) {
	if before == nil {
		before = &Basis{}
	}
	// What people did comes first: few are named, and a loop that moves many claims
	// at once must not hide it.
	causes = slices.Concat(bindingCauses(before.Bindings, after.Bindings), versionCauses(before.Versions, after.Versions))
	old, now := claimIndex(before.Claims), claimIndex(after.Claims)
	for _, c := range after.Claims {
		if old[c.ID] == nil {
			claims = append(claims, c.ID)
			causes = append(causes, cause(claimSet, c.Source, author(c), c.ValueText(), c.Scope, c.Reason))
		}
	}
	for _, c := range before.Claims {
		if now[c.ID] == nil {
			claims = append(claims, c.ID)
			causes = append(causes, cause(claimEnded, c.Source, author(c), c.ValueText(), c.Scope))
		}
	}
	if !slices.Equal(before.Points, after.Points) {
		causes = append(causes, cause(pointsDeclared))
	}
	if len(causes) == 0 {
		causes = []Cause{cause(decidedAnew)}
	}
	if n := len(causes) - causeParts; n > 0 {
		causes = append(causes[:causeParts], cause(moreCauses, n))
	}
	return causes, claims
}

func cause(code string, args ...any) Cause {
	c := Cause{Code: code}
	for _, a := range args {
		c.Args = append(c.Args, fmt.Sprint(a))
	}
	return c
}

// Sentence says causes in English.
func Sentence(causes []Cause) string {
	parts := make([]string, len(causes))
	for i, c := range causes {
		parts[i] = c.String()
	}
	return strings.Join(parts, "; ")
}

// String says it in English.
func (c Cause) String() string {
	a := c.Args
	switch c.Code {
	case claimSet:
		s := fmt.Sprintf("%s set %s for %s", by(a[0], a[1]), a[2], a[3])
		if a[4] != "" {
			s += ": " + gear.Shown(a[4])
		}
		return s
	case claimEnded:
		return fmt.Sprintf("%s by %s for %s ended", a[2], by(a[0], a[1]), a[3])
	case bound:
		return fmt.Sprintf("%s bound to template %s", a[0], a[1])
	case rebound:
		return fmt.Sprintf("binding %s changed", a[0])
	case unbound:
		return fmt.Sprintf("%s unbound from template %s", a[0], a[1])
	case published:
		return fmt.Sprintf("template %s version %s published", a[0], a[1])
	case pointsDeclared:
		return "declared points changed"
	case moreCauses:
		return fmt.Sprintf("and %s more", a[0])
	}
	return "decided anew"
}

// by names who made a claim.
func by(source, author string) string {
	if author == "" {
		return source
	}
	return fmt.Sprintf("%s (%s)", author, source)
}

func claimIndex(claims []*Claim) map[string]*Claim {
	m := make(map[string]*Claim, len(claims))
	for _, c := range claims {
		m[c.ID] = c
	}
	return m
}

func author(c *Claim) string {
	if c.Author == "" {
		return gear.Shown(c.Origin)
	}
	return gear.Shown(c.Author)
}

func bindingCauses(before, after []*template.Binding) (out []Cause) {
	old := map[string]*template.Binding{}
	for _, b := range before {
		old[b.ID] = b
	}
	for _, b := range after {
		o := old[b.ID]
		delete(old, b.ID)
		switch {
		case o == nil:
			out = append(out, cause(bound, b.Selector, b.Template))
		case !sameBinding(o, b):
			out = append(out, cause(rebound, b.Selector))
		}
	}
	for _, b := range before {
		if old[b.ID] != nil {
			out = append(out, cause(unbound, b.Selector, b.Template))
		}
	}
	return out
}

func versionCauses(before, after []VersionRef) (out []Cause) {
	old := map[string]int{}
	for _, v := range before {
		if v.Latest {
			old[v.TemplateID] = v.Number
		}
	}
	for _, v := range after {
		if n, ok := old[v.TemplateID]; ok && v.Latest && n != v.Number {
			out = append(out, cause(published, v.Name, v.Number))
		}
	}
	return out
}

func sameBinding(a, b *template.Binding) bool {
	return a.ID == b.ID && a.Selector == b.Selector && a.TemplateID == b.TemplateID && a.Pin == b.Pin
}

// sameGround reports whether two bases differ at most in claims and time: then,
// with an equal set, there is nothing to journal.
func sameGround(a, b *Basis) bool {
	return slices.Equal(a.Points, b.Points) && slices.Equal(a.Scenes, b.Scenes) &&
		slices.Equal(a.Versions, b.Versions) && slices.EqualFunc(a.Bindings, b.Bindings, sameBinding)
}

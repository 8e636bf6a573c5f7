package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// causeParts bounds how many causes the sentence names.
const causeParts = 3

// Cause says in a short sentence what led from one basis to the next, and lists
// the claims that came or went. before is nil for the first shift.
func Cause(before *Basis, after *Basis) (sentence string, claims []string) {
	if before == nil {
		before = &Basis{}
	}
	// What people did comes first: the sentence is short, and a loop that moves
	// many claims at once must not hide it.
	parts := append(bindingCauses(before.Bindings, after.Bindings), versionCauses(before.Versions, after.Versions)...)
	old, now := claimIndex(before.Claims), claimIndex(after.Claims)
	for _, c := range after.Claims {
		if old[c.ID] == nil {
			claims = append(claims, c.ID)
			parts = append(parts, fmt.Sprintf("%s set %s for %s", who(c), c.ValueText(), c.Scope)+reason(c))
		}
	}
	for _, c := range before.Claims {
		if now[c.ID] == nil {
			claims = append(claims, c.ID)
			parts = append(parts, fmt.Sprintf("%s by %s for %s ended", c.ValueText(), who(c), c.Scope))
		}
	}
	if !slices.Equal(before.Points, after.Points) {
		parts = append(parts, "declared points changed")
	}
	if len(parts) == 0 {
		parts = []string{"decided anew"}
	}
	if n := len(parts) - causeParts; n > 0 {
		parts = append(parts[:causeParts], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, "; "), claims
}

func claimIndex(claims []*Claim) map[string]*Claim {
	m := make(map[string]*Claim, len(claims))
	for _, c := range claims {
		m[c.ID] = c
	}
	return m
}

func who(c *Claim) string {
	name := c.Author
	if name == "" {
		name = c.Origin
	}
	if name == "" {
		return c.Source.String()
	}
	return fmt.Sprintf("%s (%s)", gear.Shown(name), c.Source)
}

func reason(c *Claim) string {
	if c.Reason == "" {
		return ""
	}
	return ": " + gear.Shown(c.Reason)
}

func bindingCauses(before, after []*template.Binding) (out []string) {
	old := map[string]*template.Binding{}
	for _, b := range before {
		old[b.ID] = b
	}
	for _, b := range after {
		o := old[b.ID]
		delete(old, b.ID)
		switch {
		case o == nil:
			out = append(out, fmt.Sprintf("%s bound to template %s", b.Selector, b.Template))
		case !sameBinding(o, b):
			out = append(out, fmt.Sprintf("binding %s changed", b.Selector))
		}
	}
	for _, b := range before {
		if old[b.ID] != nil {
			out = append(out, fmt.Sprintf("%s unbound from template %s", b.Selector, b.Template))
		}
	}
	return out
}

func versionCauses(before, after []VersionRef) (out []string) {
	old := map[string]int{}
	for _, v := range before {
		if v.Latest {
			old[v.TemplateID] = v.Number
		}
	}
	for _, v := range after {
		if n, ok := old[v.TemplateID]; ok && v.Latest && n != v.Number {
			out = append(out, fmt.Sprintf("template %s version %d published", v.Name, v.Number))
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

package control

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// A sentence and the causes it is made of say the same: what people did first, few
// of what a loop moved, and every claim that came or went by id.
func TestCausesAreWordedAndNamed(t *testing.T) {
	level := func(id string, n int, author, reason string) *Claim {
		return &Claim{ID: id, Source: SourceManual, Scope: Scope{Scene: "k2", IDC: "*", App: "sn", Point: "recall", Bucket: "*"}, Field: FieldLevel, Level: n, Author: author, Reason: reason}
	}
	selector := template.Selector{Scene: "*", IDC: "*", App: "sn", Point: "recall"}
	before := &Basis{
		Claims:   []*Claim{level("a", 3, "ann", "")},
		Versions: []VersionRef{{TemplateID: "t", Name: "tags", Number: 1, Latest: true}},
	}
	after := &Basis{
		Claims:   []*Claim{level("b", 4, "", "peak"), level("c", 5, "bob", ""), level("d", 6, "bob", "")},
		Versions: []VersionRef{{TemplateID: "t", Name: "tags", Number: 2, Latest: true}},
		Bindings: []*template.Binding{{ID: "x", Selector: selector, Template: "tags"}},
	}
	causes, claims := Causes(before, after)
	require.Equal(t, []string{"b", "c", "d", "a"}, claims)
	require.Equal(t, []Cause{
		{bound, []string{selector.String(), "tags"}},
		{published, []string{"tags", "2"}},
		{claimSet, []string{"manual", "", "level 4", "k2/*/sn/recall", "peak"}},
		{moreCauses, []string{"3"}},
	}, causes)
	require.Equal(t, selector.String()+" bound to template tags; template tags version 2 published; manual set level 4 for k2/*/sn/recall: peak; and 3 more", Sentence(causes))

	causes, _ = Causes(&Basis{Claims: before.Claims}, &Basis{})
	require.Equal(t, "level 3 by ann (manual) for k2/*/sn/recall ended", Sentence(causes))
	causes, _ = Causes(&Basis{Bindings: after.Bindings}, &Basis{})
	require.Equal(t, selector.String()+" unbound from template tags", Sentence(causes))
	long := strings.Repeat("why ", 30)
	causes, _ = Causes(&Basis{}, &Basis{Claims: []*Claim{level("e", 3, "ann", long)}})
	require.Equal(t, long, causes[0].Args[4], "whole where there is room for it")
	require.Equal(t, "ann (manual) set level 3 for k2/*/sn/recall: "+gear.Shown(long), Sentence(causes))
	causes, _ = Causes(nil, &Basis{})
	require.Equal(t, []Cause{{Code: decidedAnew}}, causes)
	require.Equal(t, "decided anew", Sentence(causes))
}

package restapi

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
)

// newest is the detail of the newest revision of sn.
func (d *desk) newest() api.ChangeDetail {
	d.t.Helper()
	var page api.Page[api.Change]
	d.ok(d.do("admin", "GET", "/changes?app=sn&limit=1", ""), 200, &page)
	require.NotEmpty(d.t, page.Items)
	var c api.ChangeDetail
	d.ok(d.do("admin", "GET", "/changes/"+number(page.Items[0].Version.Revision), ""), 200, &c)
	return c
}

func (d *desk) undo(c api.ChangeDetail) api.Undone {
	d.t.Helper()
	var out api.Undone
	d.ok(d.do("admin", "POST", "/changes/"+number(c.Version.Revision)+"/undo", `{"reason":"test"}`), 200, &out)
	d.decide()
	return out
}

func (d *desk) bindings() []api.Binding {
	var page api.Page[api.Binding]
	d.ok(d.do("admin", "GET", "/bindings?app=sn", ""), 200, &page)
	return page.Items
}

func TestUndoPutsBindingsBack(t *testing.T) {
	withDesk(t, func(d *desk) {
		const narrow = `{"selector":{"scene":"k2","idc":"ea119","app":"sn","point":"recall"},"template":"sn-recall"`
		var b api.Binding
		d.ok(d.do("admin", "POST", "/bindings", narrow+`}`), 201, &b)
		d.decide()
		came := d.newest()
		require.Equal(t, []string{"unbind k2/ea119/sn/recall from template sn-recall"}, came.Undo.Actions)
		require.Empty(t, came.Undo.Problem)

		// Changed since: the creation is no longer this revision's to undo, the change is.
		d.ok(d.do("admin", "PUT", "/bindings/"+b.ID, narrow+`,"pin":1}`, "If-Match", etag(b.Version)), 200, &b)
		d.decide()
		d.ok(d.do("admin", "GET", "/changes/"+number(came.Version.Revision), ""), 200, &came)
		require.Empty(t, came.Undo.Actions)
		require.Contains(t, came.Undo.Problem, "nothing is left to undo")
		d.refused(d.do("admin", "POST", "/changes/"+number(came.Version.Revision)+"/undo", `{"reason":"test"}`), 409)
		pinned := d.newest()
		require.Equal(t, []string{"bound k2/ea119/sn/recall to template sn-recall again"}, d.undo(pinned).Actions)
		require.Zero(t, d.bindings()[1].Pin)

		d.ok(d.do("admin", "GET", "/bindings/"+b.ID, ""), 200, &b)
		d.ok(d.do("admin", "DELETE", "/bindings/"+b.ID, "", "If-Match", etag(b.Version)), 204, nil)
		d.decide()
		require.Len(t, d.bindings(), 1)
		require.Equal(t, []string{"bound k2/ea119/sn/recall to template sn-recall again"}, d.undo(d.newest()).Actions)
		require.Len(t, d.bindings(), 2)

		// The undo itself is a revision, and can be undone.
		require.Equal(t, []string{"unbound k2/ea119/sn/recall from template sn-recall"}, d.undo(d.newest()).Actions)
		require.Len(t, d.bindings(), 1)
	})
}

func TestUndoOfABindingNeedsTheRightToBind(t *testing.T) {
	withDesk(t, func(d *desk) {
		var b api.Binding
		d.ok(d.do("admin", "POST", "/bindings", `{"selector":{"scene":"k2","idc":"*","app":"sn","point":"recall"},"template":"sn-recall"}`), 201, &b)
		d.decide()
		c := d.newest()
		d.refused(d.do("elsewhere", "POST", "/changes/"+number(c.Version.Revision)+"/undo", `{"reason":"test"}`), 404)
		d.refused(d.do("viewer", "POST", "/changes/"+number(c.Version.Revision)+"/undo", `{"reason":"test"}`), 403)
		var seen api.ChangeDetail
		d.ok(d.do("viewer", "GET", "/changes/"+number(c.Version.Revision), ""), 200, &seen)
		require.NotEmpty(t, seen.Undo.Problem, "a viewer is told that it is not theirs")
		require.Len(t, d.bindings(), 2)
	})
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

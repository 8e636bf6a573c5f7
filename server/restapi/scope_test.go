package restapi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
)

// grant makes a role of the test's own.
func (d *desk) grant(role string, grants ...auth.Grant) {
	_, secret, err := d.auth.IssueToken(d.t.Context(), nil, role, grants, time.Hour, system)
	require.NoError(d.t, err)
	d.tokens[role] = secret
}

// TestAFreezeIsLiftedOnlyByThoseItBinds: an administrator of one app lifts the
// freezes of that app, and no other's.
func TestAFreezeIsLiftedOnlyByThoseItBinds(t *testing.T) {
	withDesk(t, func(d *desk) {
		d.grant("sn-admin", auth.Grant{Role: auth.Admin, App: "sn", IDC: gear.Any})
		freeze := func(app string) string {
			var f api.Freeze
			d.ok(d.do("admin", "POST", "/freezes", `{"app":"`+app+`","idc":"*","from":"2000-01-02T00:00:00Z","until":"2000-01-03T00:00:00Z","reason":"peak"}`), 201, &f)
			return f.ID
		}
		for _, app := range []string{"rank", "*"} {
			id := freeze(app)
			d.refused(d.do("sn-admin", "DELETE", "/freezes/"+id, ""), 403)
			d.ok(d.do("admin", "DELETE", "/freezes/"+id, ""), 204, nil)
		}
		d.ok(d.do("sn-admin", "DELETE", "/freezes/"+freeze("sn"), ""), 204, nil)
		d.refused(d.do("sn-admin", "POST", "/freezes", `{"app":"*","idc":"*","from":"2000-01-02T00:00:00Z","until":"2000-01-03T00:00:00Z","reason":"all of them"}`), 403)
	})
}

// TestATemplateServesByClaimsToo: who may not touch app sn may not publish what a
// claim serves there, though no binding names the template.
func TestATemplateServesByClaimsToo(t *testing.T) {
	withDesk(t, func(d *desk) {
		var x api.TemplateDetail
		d.ok(d.do("admin", "POST", "/templates?reason=test", named("by-claim")), 201, &x)
		d.ok(d.do("foreign", "POST", "/templates/by-claim/publish", `{"reason":"serves nowhere yet"}`, "If-Match", etag(x.Version)), 200, &x)
		d.ok(d.do("operator", "POST", "/claims", `{"field":"binding","template":"by-claim","reason":"try it","scope":{"scene":"*","idc":"*","app":"sn","point":"recall"}}`), 201, nil)
		d.refused(d.do("foreign", "PUT", "/templates/by-claim/draft", named("by-claim"), "If-Match", etag(x.Version)), 403)
		d.refused(d.do("foreign", "POST", "/templates/by-claim/rollback", `{"version":1,"reason":"theirs"}`, "If-Match", etag(x.Version)), 403)
		d.ok(d.do("operator", "PUT", "/templates/by-claim/draft", named("by-claim"), "If-Match", etag(x.Version)), 200, nil)
	})
}

// TestAnAlertOfSeveralAppsNamesOnlyPlansOfTheReader: an alert that concerns all apps
// is everybody's, plans of others are not.
func TestAnAlertOfSeveralAppsNamesOnlyPlansOfTheReader(t *testing.T) {
	withDesk(t, func(d *desk) {
		for role, want := range map[string]int{"operator": 1, "admin": 1, "foreign": 0} {
			var a api.AlertDetail
			d.ok(d.do(role, "GET", "/alerts/"+alertAt, ""), 200, &a)
			require.Len(d.t, a.Plans, want, role)
		}
	})
}

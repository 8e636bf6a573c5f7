package restapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
)

// TestChangesArePagedAcrossPlaces walks the journal of all apps one line at a time,
// as somebody who sees all of it and as somebody who sees one app.
func TestChangesArePagedAcrossPlaces(t *testing.T) {
	withDesk(t, func(d *desk) {
		for level := 4; level < 7; level++ {
			d.ok(d.do("admin", "POST", "/claims", claimOf("sn", level)), 201, nil)
			d.ok(d.do("admin", "POST", "/claims", claimOf("rank", level)), 201, nil)
			d.decide()
		}
		walk := func(role, query string) (apps map[string]int, revisions []int64) {
			apps = map[string]int{}
			for cursor := ""; ; {
				var page api.Page[api.Change]
				d.ok(d.do(role, "GET", "/changes?limit=1"+query+"&cursor="+cursor, ""), 200, &page)
				for _, x := range page.Items {
					apps[x.App]++
					revisions = append(revisions, x.Version.Revision)
				}
				if cursor = page.NextCursor; cursor == "" {
					return apps, revisions
				}
				require.Len(t, page.Items, 1)
			}
		}
		apps, revisions := walk("admin", "")
		require.Len(t, apps, 2)
		require.Equal(t, apps["sn"], apps["rank"])
		for i, r := range revisions {
			require.EqualValues(t, len(revisions)-i, r, "newest first, none left out")
		}
		seen, _ := walk("foreign", "")
		require.Equal(t, map[string]int{"rank": apps["rank"]}, seen)
		seen, _ = walk("foreign", "&app=sn")
		require.Empty(t, seen)
		seen, _ = walk("elsewhere", "")
		require.Empty(t, seen)
		d.refused(d.do("admin", "GET", "/changes?cursor=eA", ""), 400)
	})
}

package restapi

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two operators save on the same base, a thousand times: one wins, the other is
// told, and nothing that was acknowledged is lost.
func TestR12(t *testing.T) {
	const races = 1000
	withDesk(t, func(d *desk) {
		version := d.template.Version
		for range races {
			var answers [2]*httptest.ResponseRecorder
			var wg sync.WaitGroup
			for i, who := range [2]string{"operator", "admin"} {
				wg.Go(func() {
					doc := strings.Replace(named("sn-recall"), "20}", []string{"30", "40"}[i]+"}", 1)
					answers[i] = d.do(who, "PUT", "/templates/sn-recall/draft", doc, "If-Match", etag(version))
				})
			}
			wg.Wait()
			lost := answers[1]
			if answers[0].Code != 200 {
				lost, answers[0] = answers[0], answers[1]
			}
			require.Equal(d.t, 200, answers[0].Code, answers[0].Body.String())
			p := d.refused(lost, 409)
			require.Equal(d.t, "stale", p.Code)
			version++
			require.Equal(d.t, etag(version), answers[0].Header().Get("ETag"))
			require.Equal(d.t, etag(version), p.Conflict.ETag)
			require.NotEmpty(d.t, p.Conflict.Base)
			require.NotEqual(d.t, string(p.Conflict.Mine), string(p.Conflict.Theirs))
		}
	})
}

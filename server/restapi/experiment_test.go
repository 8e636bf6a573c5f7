package restapi

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
)

func TestAnExperimentFromDraftToEnd(t *testing.T) {
	withDesk(t, func(d *desk) {
		var x api.Experiment
		w := d.do("operator", "GET", "/experiments/dynamic", "")
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &x))
		require.Equal(t, "draft", x.State)
		require.InDelta(t, 50, x.Arms[0].Share, 1e-9)

		w = d.do("operator", "POST", "/experiments/dynamic/start", `{"reason":"go"}`, "Idempotency-Key", "one-start")
		require.Equal(t, 200, w.Code, w.Body)
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &x))
		require.Equal(t, "running", x.State)
		w = d.do("operator", "POST", "/experiments/dynamic/start", `{"reason":"go"}`, "Idempotency-Key", "one-start")
		require.Equal(t, 200, w.Code, "a retry gets the first result")
		var claims api.Page[api.Claim]
		w = d.do("operator", "GET", "/claims?active=true&app=sn&point=recall&limit=100", "")
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &claims))
		mine := 0
		for _, c := range claims.Items {
			if c.Source == "experiment" {
				mine++
				require.Equal(t, "experiment:"+experimentID, c.Origin)
				require.True(t, c.End.Equal(*x.EndsAt))
			}
		}
		require.Equal(t, 4, mine)

		// Somebody's override stands above an arm, and is named.
		w = d.do("operator", "POST", "/claims", `{"field":"level","level":2,"scope":{"scene":"*","idc":"*","app":"sn","point":"recall"},"for":"10m","reason":"it burns"}`)
		require.Equal(t, 201, w.Code, w.Body)
		var res api.ExperimentResult
		w = d.do("viewer", "GET", "/experiments/dynamic/result", "")
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &res))
		require.NotEmpty(t, res.Overrides)
		require.Nil(t, res.Ratio, "nothing was measured")
		require.Equal(t, "0-5000", res.Arms[0].Bucket)

		w = d.do("operator", "POST", "/experiments", experimentOf("rival"))
		require.Equal(t, 201, w.Code, w.Body)
		w = d.do("operator", "POST", "/experiments/rival/start", `{"reason":"go"}`)
		require.Equal(t, 409, w.Code, "two on one scope at once are refused")
		require.Contains(t, w.Body.String(), "dynamic")

		w = d.do("operator", "POST", "/experiments/dynamic/stop", `{"reason":"seen enough"}`)
		require.Equal(t, 200, w.Code, w.Body)
		time.Sleep(time.Second)
		w = d.do("operator", "GET", "/claims?active=true&app=sn&point=recall&limit=100", "")
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &claims))
		for _, c := range claims.Items {
			require.NotEqual(t, "experiment", c.Source)
		}

		w = d.do("operator", "POST", "/experiments", `{"name":"bad name","reason":"x","scope":{"app":"sn"},"measure":{"app":"sn","point":"recall"},"duration":"never",
"arms":[{"name":"a","share":50,"available_rt":"soon"},{"name":"b","share":60}]}`)
		require.Equal(t, 422, w.Code)
		require.Contains(t, w.Body.String(), "arms[0].available_rt")
	})
}

func TestADraftIsReplacedByTheVersionThatWasRead(t *testing.T) {
	withDesk(t, func(d *desk) {
		d.do("operator", "POST", "/experiments", experimentOf("drafted"))
		replaced := strings.Replace(experimentOf("drafted"), `"1h"`, `"2h"`, 1)
		w := d.do("operator", "PUT", "/experiments/drafted", replaced, "If-Match", `"1"`)
		require.Equal(t, 200, w.Code, w.Body)

		w = d.do("operator", "PUT", "/experiments/drafted", strings.Replace(replaced, `"2h"`, `"3h"`, 1), "If-Match", `"1"`)
		require.Equal(t, 409, w.Code, w.Body)
		var p api.Problem
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
		require.Equal(t, "stale", p.Code)
		require.NotNil(t, p.Conflict)
		require.Equal(t, `"2"`, p.Conflict.ETag)
		of := func(raw json.RawMessage) string {
			var x api.Experiment
			require.NoError(t, json.Unmarshal(raw, &x))
			return x.Duration
		}
		require.Equal(t, []string{"1h0m0s", "3h", "2h0m0s"}, []string{of(p.Conflict.Base), of(p.Conflict.Mine), of(p.Conflict.Theirs)})

		w = d.do("operator", "PUT", "/experiments/drafted", replaced)
		require.Equal(t, 428, w.Code, "which version was read must be said")
		w = d.do("operator", "POST", "/experiments/drafted/start", `{"reason":"go"}`)
		require.Equal(t, 200, w.Code, w.Body)
		w = d.do("operator", "PUT", "/experiments/drafted", replaced, "If-Match", `"3"`)
		require.Equal(t, 409, w.Code, "what was started stays what it was")
	})
}

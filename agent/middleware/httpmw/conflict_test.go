package httpmw_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/middleware/httpmw"
)

// TestAWrongDeclarationFailsNoCall: one name for a point and a call edge is told by
// Start, and an app that goes on all the same still reaches who it calls.
func TestAWrongDeclarationFailsNoCall(t *testing.T) {
	callee := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer callee.Close()
	ag := agent.New(agent.Config{App: "sn", IDC: "et2"})
	ag.Point("rank")
	edge := ag.External("rank")
	require.Error(t, ag.Start(t.Context()))
	client := http.Client{Transport: &httpmw.Transport{Edge: edge}}
	resp, err := client.Get(callee.URL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

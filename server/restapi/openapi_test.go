package restapi

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// consoleDocument is what the console's client is generated from.
var consoleDocument = filepath.Join("..", "..", "web", "openapi.json")

func TestTheConsolesDocumentIsFresh(t *testing.T) {
	want, err := OpenAPI()
	require.NoError(t, err)
	got, err := os.ReadFile(consoleDocument)
	require.NoError(t, err, "run: go run ./server/cmd/allspark openapi > web/openapi.json")
	require.True(t, bytes.Equal(want, got), "web/openapi.json is stale; run: go run ./server/cmd/allspark openapi > web/openapi.json")
}

func TestEveryOperationSaysWhatItIs(t *testing.T) {
	b, err := OpenAPI()
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID, Summary, Description string
			Tags                              []string
			Responses                         map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(b, &doc))
	seen := map[string]bool{}
	for path, item := range doc.Paths {
		for method, op := range item {
			at := method + " " + path
			require.NotEmpty(t, op.OperationID, at)
			require.NotEmpty(t, op.Summary, at)
			require.NotEmpty(t, op.Description, at)
			require.Len(t, op.Tags, 1, at)
			require.Contains(t, op.Responses, "400", at)
			require.False(t, seen[op.OperationID], "%s is used twice", op.OperationID)
			seen[op.OperationID] = true
		}
	}
	require.Greater(t, len(seen), 60)
}

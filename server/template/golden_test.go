package template_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

var update = flag.Bool("update", false, "rewrite the expected problems; review the diff")

// Each testdata/documents/NAME.yaml is read; NAME.json lists its problems. The
// console runs the same files.
func TestGoldenDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/documents/*.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 40)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			doc, problems := template.Read(text, template.YAML)
			if problems == nil {
				problems = gear.Problems{}
			}
			require.Equal(t, strings.HasPrefix(name, "sound"), len(problems) == 0, "%v", problems)
			expected := strings.TrimSuffix(file, ".yaml") + ".json"
			if *update {
				b, err := json.MarshalIndent(problems, "", " ")
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(expected, append(b, '\n'), 0o644))
			}
			b, err := os.ReadFile(expected)
			require.NoError(t, err)
			var want gear.Problems
			require.NoError(t, json.Unmarshal(b, &want))
			require.Equal(t, want, problems)
			if len(problems) == 0 {
				_, err := template.Expand(&doc.Spec)
				require.NoError(t, err)
			}
		})
	}
}

package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// words splits a line as a shell does: single quotes, and a backslash outside them.
func words(line string) (out []string) {
	var word strings.Builder
	quoted, begun := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, begun = !quoted, true
		case c == '\\' && !quoted && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			begun = true
		case c == ' ' && !quoted:
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		out = append(out, word.String())
	}
	return out
}

// The console offers these lines to copy; its own test writes them from the same
// functions that its pages use.
func TestTheConsolesCommandsAreOurs(t *testing.T) {
	require.Equal(t, []string{"a", "*", "it's x"}, words(`a '*' 'it'\''s x'`))
	raw, err := os.ReadFile("testdata/console.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	require.NotEmpty(t, lines)
	for _, line := range lines {
		argv := words(line)
		require.Equal(t, "allspark", argv[0])
		cmd, rest, err := New("test").Find(argv[1:])
		require.NoError(t, err, line)
		require.True(t, cmd.Runnable(), line)
		require.NoError(t, cmd.ParseFlags(rest), line)
		require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), line)
		require.NoError(t, cmd.ValidateRequiredFlags(), line)
	}
}

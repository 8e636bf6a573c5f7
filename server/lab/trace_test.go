package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTracesAreThePublishedOnes(t *testing.T) {
	for _, c := range []struct {
		trace                 *Trace
		rows                  int
		context, generated    int64
		maxContext, maxAnswer int32
		span                  float64 // seconds to the last arrival
	}{
		{Conversation(), 19_366, 22_361_870, 4_088_665, 14_050, 1000, 3501.721937},
		{Code(), 8_819, 18_059_974, 245_896, 7_437, 1899, 3435.948056},
	} {
		t.Run(c.trace.Name, func(t *testing.T) {
			require.Len(t, c.trace.At, c.rows)
			var context, generated int64
			var maxContext, maxAnswer int32
			for i := range c.trace.At {
				context += int64(c.trace.Context[i])
				generated += int64(c.trace.Generated[i])
				maxContext = max(maxContext, c.trace.Context[i])
				maxAnswer = max(maxAnswer, c.trace.Generated[i])
			}
			require.Equal(t, c.context, context)
			require.Equal(t, c.generated, generated)
			require.Equal(t, c.maxContext, maxContext)
			require.Equal(t, c.maxAnswer, maxAnswer)
			require.InDelta(t, c.span, float64(c.trace.At[c.rows-1])/1e9, 1e-6)
			require.InDelta(t, float64(context+generated)/float64(c.rows), c.trace.MeanLoad, 1e-6)
		})
	}
}

func TestReadTraceNamesTheBadLine(t *testing.T) {
	const good = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "two requests"},
		{"header", "a,b,c\n", "line 1"},
		{"one row", good, "two requests"},
		{"columns", good + "2023-11-16 18:17:04,1\n", "line 3: want three columns"},
		{"time", good + "yesterday,1,1\n", "line 3"},
		{"tokens", good + "2023-11-16 18:17:04,-1,1\n", `line 3: want a number of tokens, got "-1"`},
		{"huge", good + "2023-11-16 18:17:04,1,99999999999\n", "line 3: want a number of tokens"},
		{"back", good + "2023-11-16 18:17:03,1,1\n", "line 3: arrives before"},
		{"long line", good + strings.Repeat("9", 1<<17), "token too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadTrace("x", strings.NewReader(c.text))
			require.ErrorContains(t, err, c.want)
		})
	}
}

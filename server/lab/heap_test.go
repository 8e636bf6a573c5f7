package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHeapGivesEventsInOrderAndTiesAsScheduled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h eventHeap
		last, lastID := int64(-1), int32(-1)
		next, pending := int32(0), 0
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			if pending == 0 || rapid.Bool().Draw(t, "push") {
				// Never before what was popped, as in the engine.
				h.push(max(last, 0)+int64(rapid.IntRange(0, 5).Draw(t, "in")), evIO, next, 0)
				next++
				pending++
				continue
			}
			e := h.pop()
			pending--
			require.GreaterOrEqual(t, e.at, last)
			if e.at == last {
				require.Greater(t, e.id, lastID, "ties go in order of scheduling")
			}
			last, lastID = e.at, e.id
			require.Equal(t, evIO, e.kind())
		}
	})
}

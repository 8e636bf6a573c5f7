package push_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/push"
)

// TestAgentsOfOtherControllersCount: who is served elsewhere is in the ledger, with
// the time of its answer, and gives way to a stream that is here.
func TestAgentsOfOtherControllersCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := push.NewHub(push.Options{AwayFor: time.Minute})
		h.Publish(key, state(1))
		began := time.Now()
		count := func() []int {
			p, ok := h.Progress(key)
			require.True(t, ok)
			return []int{p.Expected, p.Held, p.Refused, p.Away}
		}
		here := h.Join(key, "here", push.Held{}, &tube{})
		h.Elsewhere(key, "there", push.Elsewhere{})
		h.Elsewhere(key, "stubborn", push.Elsewhere{Refused: refused(1, "no")})
		require.Equal(t, []int{3, 0, 1, 0}, count())
		here.Next(nil)
		here.Ack(held(1))
		time.Sleep(2 * time.Second)
		h.Elsewhere(key, "there", push.Elsewhere{Held: at(1), At: began.Add(300 * time.Millisecond)})
		h.Elsewhere(key, "stubborn", push.Elsewhere{Held: at(1), At: began.Add(500 * time.Millisecond)})
		require.Equal(t, []int{3, 3, 0, 0}, count())
		p, _ := h.Progress(key)
		require.Equal(t, 500*time.Millisecond, p.To100, "heard late, but not answered late")

		h.Elsewhere(key, "here", push.Elsewhere{Refused: refused(1, "an older session")})
		require.Equal(t, []int{3, 3, 0, 0}, count(), "its stream is here")
		require.True(t, h.Yield(key, "here", "served elsewhere"))
		here.Leave(true)
		here.Ack(refused(1, "from the grave"))
		require.Equal(t, []int{3, 3, 0, 0}, count(), "it holds what it held")
		h.Elsewhere(key, "here", push.Elsewhere{Held: at(1)})
		h.Publish(key, state(2))
		h.Elsewhere(key, "there", push.Elsewhere{Held: at(1), Away: time.Now()})
		require.Equal(t, []int{3, 0, 0, 1}, count())
		h.Elsewhere(key, "stubborn", push.Elsewhere{Gone: true})
		require.Equal(t, []int{2, 0, 0, 1}, count())
		h.Sweep(time.Now().Add(2 * time.Minute))
		require.Equal(t, []int{1, 0, 0, 0}, count())

		back := h.Join(key, "there", push.Held{Version: at(1)}, &tube{})
		back.Next(nil)
		back.Ack(held(2))
		require.Equal(t, []int{2, 1, 0, 0}, count())
	})
}

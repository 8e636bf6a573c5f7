package control_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
)

func TestAnAgentAheadOfTheJournalRaisesTheEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		run(t, h.loop)
		pause(time.Second)
		before := h.board.last(t)
		require.NoError(t, h.loop.RaiseAbove(t.Context(), "sn", "na61", before.Version))
		pause(time.Second)
		require.Equal(t, 1, h.board.count(), "an agent that is merely current raises nothing")

		held := gear.Version{Epoch: before.Version.Epoch + 3, Revision: 1000}
		require.NoError(t, h.loop.RaiseAbove(t.Context(), "sn", "na61", held))
		pause(100 * time.Millisecond)
		require.Equal(t, 2, h.board.count())
		require.True(t, held.Less(h.board.last(t).Version))
		require.Equal(t, before.Hash, h.board.last(t).Hash)

		require.NoError(t, h.loop.RaiseAbove(t.Context(), "rank", "na61", held))
		pause(time.Second)
		require.Equal(t, 2, h.board.count(), "what was never journalled will be newer anyway")
	})
}

// A claimed version is believed within reason, and not without end.
func TestALyingAgentCannotUseUpTheEpochs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		run(t, h.loop)
		pause(time.Second)
		before := h.board.last(t)
		held := gear.Version{Epoch: 1 << 60, Revision: 1}
		err := h.loop.RaiseAbove(t.Context(), "sn", "na61", held)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		pause(time.Second)
		require.Equal(t, before.Version, h.board.last(t).Version)

		raised := 0
		for range 100 {
			newest := h.board.last(t).Version
			lie := gear.Version{Epoch: newest.Epoch, Revision: 1 << 50}
			if err := h.loop.RaiseAbove(t.Context(), "sn", "na61", lie); err != nil {
				require.True(t, fault.Is(err, fault.RateLimited), "%v", err)
				break
			}
			raised++
		}
		require.Equal(t, 10, raised)
		pause(time.Minute)
		newest := h.board.last(t).Version
		require.NoError(t, h.loop.RaiseAbove(t.Context(), "sn", "na61", gear.Version{Epoch: newest.Epoch, Revision: 1 << 50}), "one a minute from then on")
	})
}

// The common restore: the lease's epoch is past what agents hold already, the
// sets of the journal are not; and the agents come before anybody leads.
func TestARaisedEpochIsSeenByALeaderThatComesLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, recallDeclared())
		stop := run(t, h.loop)
		pause(time.Second)
		first := h.board.last(t)
		stop()
		held := gear.Version{Epoch: first.Version.Epoch, Revision: first.Version.Revision + 5}
		board, next := replica(h.db, "two", recallDeclared())
		raised := make(chan error, 1)
		go func() { raised <- next.RaiseAbove(t.Context(), "sn", "na61", held) }()
		pause(time.Second)
		run(t, next)
		pause(4 * time.Second)
		require.NoError(t, <-raised)
		require.True(t, held.Less(board.last(t).Version))
		require.Equal(t, first.Hash, board.last(t).Hash)

		count := board.count()
		later := gear.Version{Epoch: board.last(t).Version.Epoch, Revision: held.Revision + 100}
		require.NoError(t, next.RaiseAbove(t.Context(), "sn", "na61", later), "and again while it leads")
		pause(time.Second)
		require.Equal(t, count+1, board.count())
		require.True(t, later.Less(board.last(t).Version))
	})
}

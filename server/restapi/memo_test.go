package restapi

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAMemoReadsOnceForAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := memo[int]{life: time.Second}
		reads, answer := 0, make(chan int)
		read := func(ctx context.Context) (int, error) {
			reads++
			select {
			case v := <-answer:
				return v, nil
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		type result struct {
			v   int
			err error
		}
		ask := func(ctx context.Context) chan result {
			out := make(chan result, 1)
			go func() {
				v, err := m.get(ctx, time.Now(), read)
				out <- result{v, err}
			}()
			synctest.Wait()
			return out
		}
		// The first caller leaves; the read goes on for the second.
		ctx, leave := context.WithCancel(t.Context())
		first, second := ask(ctx), ask(t.Context())
		leave()
		require.ErrorIs(t, (<-first).err, context.Canceled)
		require.Equal(t, 1, reads)
		answer <- 7
		require.Equal(t, result{7, nil}, <-second)
		require.Equal(t, result{7, nil}, <-ask(t.Context()), "kept")
		require.Equal(t, 1, reads)

		// What was dropped meanwhile is not kept, and who comes after does not join.
		time.Sleep(time.Second)
		before := ask(t.Context())
		m.drop()
		after := ask(t.Context())
		require.Equal(t, 3, reads)
		answer <- 8
		answer <- 8
		require.Equal(t, result{8, nil}, <-before)
		require.Equal(t, result{8, nil}, <-after)

		// A read that hangs ends by itself, and its error is not kept.
		time.Sleep(time.Second)
		hung := ask(t.Context())
		require.ErrorIs(t, (<-hung).err, context.DeadlineExceeded)
		again := ask(t.Context())
		answer <- 9
		require.Equal(t, result{9, nil}, <-again)
	})
}

func TestAMemoKeepsNoErrorAndSurvivesAPanic(t *testing.T) {
	var m memo[int]
	m.life = time.Hour
	boom := errors.New("away")
	_, err := m.get(t.Context(), time.Now(), func(context.Context) (int, error) { return 0, boom })
	require.ErrorIs(t, err, boom)
	_, err = m.get(t.Context(), time.Now(), func(context.Context) (int, error) { panic("oh") })
	require.ErrorContains(t, err, "panicked")
	v, err := m.get(t.Context(), time.Now(), func(context.Context) (int, error) { return 3, nil })
	require.NoError(t, err)
	require.Equal(t, 3, v)
}

package quota

import (
	"context"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/proto/gear"
)

func terms() gear.QuotaTerms {
	return gear.QuotaTerms{
		Min: 10, Max: 1000, Default: 200, WeightMin: 0.5, WeightMax: 1.5, Scale: 1, TTL: 500 * time.Millisecond,
		FallbackSlew: 0.1, ReturnSlew: 0.5, Places: []gear.QuotaPlace{{Scene: gear.Any, Point: "rank"}},
	}
}

func frame(tick int64, base float64, t gear.QuotaTerms) gear.BaseQuotas {
	return gear.BaseQuotas{Frame: tick, Quotas: []gear.BaseQuota{{Group: "g", Epoch: 1, Tick: tick, Base: base, Terms: t}}}
}

func TestTakeWeighsAndClamps(t *testing.T) {
	b := New(Config{})
	q := b.Quota("k2", "rank").Default(300)
	require.Equal(t, 300, q.Take(1, 1000), "the app's own default")
	b.Apply(frame(1, 100, terms()))
	require.Equal(t, 150, q.Take(1.5, 1000))
	require.Equal(t, 50, q.Take(0.5, 1000))
	require.Equal(t, 40, q.Take(1, 40), "no more than there are")
	require.Equal(t, 0, q.Take(1, -5))
	require.Equal(t, 100, q.Take(math.NaN(), 1000))
	require.Equal(t, 150, q.Take(math.Inf(1), 1000))
	b.Apply(frame(2, 60, terms()))
	require.Equal(t, 90, q.Take(1.5, 1000))
	require.Equal(t, 30, q.Take(0.5, 1000))
	b.Apply(frame(1, 500, terms()))
	require.Equal(t, 60, q.Take(1, 1000), "an older tick is dropped")
	b.Apply(gear.BaseQuotas{Quotas: []gear.BaseQuota{{Group: "g", Epoch: 0, Tick: 99, Base: 500, Terms: terms()}}})
	require.Equal(t, 60, q.Take(1, 1000), "an older epoch is dropped")
	b.Apply(gear.BaseQuotas{Quotas: []gear.BaseQuota{{Group: "g", Epoch: 2, Tick: 1, Base: 70, Terms: terms()}}})
	require.Equal(t, 70, q.Take(1, 1000))

	other := b.Quota("k2", "prerank")
	require.Equal(t, 100, other.Take(1, 1000), "no group of this point")
}

func TestTakeCountsWhatEntersRanking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var got []gear.QuotaCount
		b := New(Config{Offer: func(c []gear.QuotaCount, _ int64) { mu.Lock(); got = append(got, c...); mu.Unlock() }})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { b.Run(ctx); close(done) }()
		x := terms()
		x.CountWeights = true
		b.Apply(frame(1, 100, x))
		q := b.Quota("k2", "rank")
		sum := 0
		for i := range 10 {
			sum += q.Take([]float64{0.5, 1.5}[i%2], 120)
		}
		time.Sleep(Frame + time.Millisecond)
		synctest.Wait()
		mu.Lock()
		require.Len(t, got, 1)
		require.EqualValues(t, sum, got[0].Consumed)
		require.EqualValues(t, 10, got[0].Requests)
		require.EqualValues(t, 10_000, got[0].WeightMilli)
		require.Equal(t, gear.QuotaLive, got[0].Rung)
		require.Equal(t, Frame, got[0].Span)
		got = nil
		mu.Unlock()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		mu.Lock()
		require.LessOrEqual(t, len(got), 4, "an idle group is quiet")
		mu.Unlock()
		stop()
		<-done
	})
}

// The signal's loss takes effect half a second after its last frame, to the
// millisecond, and never as a rise.
func TestFallbackLadder(t *testing.T) {
	for _, c := range []struct {
		base, after float64
	}{{80, 80}, {900, 200}} {
		synctest.Test(t, func(t *testing.T) {
			b := New(Config{})
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { b.Run(ctx); close(done) }()
			q := b.Quota("k2", "rank")
			tick := int64(0)
			push := func(base float64) {
				tick++
				b.Apply(frame(tick, base, terms()))
			}
			state := func() (float64, gear.QuotaRung) { synctest.Wait(); return q.Base() }
			push(c.base)
			time.Sleep(499 * time.Millisecond)
			base, rung := state()
			require.Equal(t, c.base, base)
			require.Equal(t, gear.QuotaLive, rung)
			time.Sleep(time.Millisecond)
			base, rung = state()
			require.Equal(t, c.after, base, "min(last, default)")
			require.Equal(t, gear.QuotaFallback, rung)

			time.Sleep(5 * time.Second)
			base, _ = state()
			require.InDelta(t, min(200, c.after*math.Exp(0.5)), base, 3, "slewing to the default")
			time.Sleep(time.Minute)
			base, rung = state()
			require.Equal(t, 200.0, base)
			require.Equal(t, gear.QuotaFallback, rung)

			push(400) // returns: rises slowly
			base, rung = state()
			require.Equal(t, gear.QuotaReturning, rung)
			require.Equal(t, 200.0, base)
			last := base
			for range 30 {
				time.Sleep(100 * time.Millisecond)
				push(400)
				base, rung = state()
				require.LessOrEqual(t, base, last*math.Exp(0.5*1.2*0.1)+1e-9, "slew-limited")
				last = base
			}
			require.Equal(t, gear.QuotaLive, rung)
			require.Equal(t, 400.0, base)
			push(20) // falls at once
			base, _ = state()
			require.Equal(t, 20.0, base)
			stop()
			<-done
		})
	}
}

// Agents that lost the signal together do not come back as one.
func TestEachAgentReturnsAtItsOwnPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		books := make([]*Book, 50)
		quotas := make([]*Quota, len(books))
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for i := range books {
			books[i] = New(Config{})
			running.Go(func() { books[i].Run(ctx) })
			quotas[i] = books[i].Quota("k2", "rank")
			books[i].Apply(frame(1, 400, terms()))
		}
		time.Sleep(time.Second)
		for i := range books {
			books[i].Apply(frame(2, 400, terms()))
		}
		bases := func() (out []float64) {
			synctest.Wait()
			for _, q := range quotas {
				base, rung := q.Base()
				require.Equal(t, gear.QuotaReturning, rung)
				out = append(out, base)
			}
			return out
		}
		time.Sleep(2*Frame + Frame/2)
		before := bases()
		time.Sleep(2 * Frame)
		low, high := math.Inf(1), 0.0
		for i, base := range bases() {
			pace := math.Log(base/before[i]) / (2 * Frame).Seconds() / 0.5
			require.GreaterOrEqual(t, pace, 0.79)
			require.LessOrEqual(t, pace, 1.21)
			low, high = min(low, pace), max(high, pace)
		}
		require.Less(t, low, 0.9, "80 to 120 percent")
		require.Greater(t, high, 1.1)
		stop()
		running.Wait()
	})
}

func TestLadderNeverLeapsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Ladder
		now := time.Unix(1e9, 0)
		const fallback = 200.0
		s := Slews{0.1, 0.5}
		for range rapid.IntRange(1, 80).Draw(t, "n") {
			dt := time.Duration(rapid.Int64Range(0, int64(700*time.Millisecond)).Draw(t, "dt"))
			now = now.Add(dt)
			before, rung := l.Base(), l.Rung()
			if rapid.Bool().Draw(t, "hear") {
				v := rapid.SampledFrom([]float64{10, 50, 200, 400, 900, math.NaN(), math.Inf(1), -1, 0}).Draw(t, "base")
				l.Receive(v, 0, now)
			}
			l.Step(fallback, s, now)
			require.False(t, math.IsNaN(l.Base()) || math.IsInf(l.Base(), 0))
			require.Greater(t, l.Base(), 0.0)
			if rung == gear.QuotaFallback || rung == gear.QuotaReturning {
				require.LessOrEqual(t, l.Base(), before*math.Exp(0.5*0.7)+1e-9)
			}
		}
	})
}

func TestDitherKeepsTheMean(t *testing.T) {
	b := New(Config{})
	x := terms()
	x.Min = 1
	b.Apply(frame(1, 2.3, x))
	q := b.Quota("k2", "rank")
	sum := 0
	for range 20_000 {
		sum += q.Take(1, 1000)
	}
	require.InDelta(t, 2.3, float64(sum)/20_000, 0.02)
}

func TestLocalCapActsInsideABurst(t *testing.T) {
	b := New(Config{})
	x := terms()
	x.FrameBudget, x.FrameSum, x.Agents = 20_000, 0, 2 // 10,000 a frame here, cap 20,000
	b.Apply(frame(1, 100, x))
	q := b.Quota("k2", "rank")
	sum := 0
	for i := range 2000 { // 200,000 wanted
		n := q.Take(1, 1000)
		require.GreaterOrEqual(t, n, 10)
		if i < 200 {
			require.Equal(t, 100, n)
		}
		sum += n
	}
	require.Less(t, sum, 65_000)
	consumed, requests, _, capped := q.drain()
	require.EqualValues(t, sum, consumed, "what was cut is not counted")
	require.EqualValues(t, 2000, requests)
	require.Positive(t, capped)
	require.Equal(t, 100, q.Take(1, 1000), "a new frame")
}

func TestChoicesByValue(t *testing.T) {
	b := New(Config{})
	x := terms()
	x.Choices = []gear.QuotaChoice{{From: 0, Quota: 20}, {From: 0.8, Quota: 70}, {From: 1.2, Quota: 300}}
	b.Apply(frame(1, 100, x))
	q := b.Quota("k2", "rank")
	for value, want := range map[float64]int{0: 20, 0.79: 20, 0.8: 70, 1.2: 300, 9: 300, -1: 20} {
		require.Equal(t, want, q.Take(value, 1000), value)
	}
}

func TestTakeFromManyGoroutines(t *testing.T) {
	b := New(Config{})
	b.Apply(frame(1, 100, terms()))
	q := b.Quota("k2", "rank")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var consumed, requests int64
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for tick := int64(2); ; tick++ {
			b.Apply(frame(tick, 100, terms()))
			c, n, _, _ := q.drain()
			consumed, requests = consumed+c, requests+n
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for range 4 {
		wg.Go(func() {
			for range 20_000 {
				q.Take(1, 1000)
			}
		})
	}
	wg.Wait()
	close(stop)
	<-drained
	c, n, _, _ := q.drain()
	require.EqualValues(t, 80_000, requests+n)
	require.EqualValues(t, 8_000_000, consumed+c)
}

func TestTakeAllocatesNothing(t *testing.T) {
	b := New(Config{})
	b.Apply(frame(1, 101.5, terms()))
	q := b.Quota("k2", "rank")
	require.Zero(t, testing.AllocsPerRun(1000, func() { q.Take(1.1, 1000) }))
}

package lease_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/lease"
	"github.com/allspark/allspark/server/store"
)

const ttl = 6 * time.Second

// cut is a real store whose line can be cut and whose clock can be set off.
type cut struct {
	*store.DB
	away   atomic.Bool
	offset atomic.Int64
	hold   atomic.Int64 // the next answer reaches the process that much later, as when it was stopped meanwhile
}

var errAway = errors.New("connection refused")

func (c *cut) AcquireLease(ctx context.Context, name, holder string, ttl time.Duration) (lease.Lease, bool, error) {
	if c.away.Load() {
		return lease.Lease{}, false, errAway
	}
	l, ok, err := c.DB.AcquireLease(ctx, name, holder, ttl)
	time.Sleep(time.Duration(c.hold.Swap(0)))
	return l, ok, err
}

func (c *cut) Now(ctx context.Context) (time.Time, error) {
	if c.away.Load() {
		return time.Time{}, errAway
	}
	now, err := c.DB.Now(ctx)
	return now.Add(time.Duration(c.offset.Load())), err
}

func open(t *testing.T) *store.DB {
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "l.db"))
	require.NoError(t, err)
	require.NoError(t, db.Migrate(t.Context()))
	return db
}

type replica struct {
	*lease.Keeper
	line  *cut
	stop  func()
	terms chan string // "+epoch" as text when Lead starts, "-" when it ends
}

func start(t *testing.T, db *store.DB, holder string) *replica {
	ctx, cancel := context.WithCancel(t.Context())
	r := &replica{line: &cut{DB: db}, terms: make(chan string, 100)}
	r.Keeper = lease.New(lease.Config{
		Store: r.line, Clock: r.line, Holder: holder, TTL: ttl, Log: slog.New(slog.DiscardHandler),
		Lead: func(ctx context.Context, _ lease.Lease) {
			r.terms <- "+"
			<-ctx.Done()
			r.terms <- "-"
		},
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	r.stop = func() { cancel(); <-done }
	return r
}

func (r *replica) history() (s string) {
	for {
		select {
		case x := <-r.terms:
			s += x
		default:
			return s
		}
	}
}

func held(r *replica) bool {
	_, ok := r.Held()
	return ok
}

func TestOneHoldsAndTheOtherSaysWho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		defer db.Close()
		a := start(t, db, "a")
		synctest.Wait()
		time.Sleep(time.Second)
		b := start(t, db, "b")
		for range 100 { // long past many TTLs
			time.Sleep(time.Second)
			require.True(t, held(a))
			require.False(t, held(b))
		}
		require.Equal(t, "held by a", b.Status().Reason)
		first, _ := a.Held()

		a.stop() // gives it up: b need not wait for the TTL
		require.False(t, held(a))
		time.Sleep(ttl/3 + time.Millisecond)
		second, ok := b.Held()
		require.True(t, ok)
		require.Greater(t, second, first)
		require.Equal(t, "+-", a.history())
		b.stop()
	})
}

// TestARenewalHeardTooLateBeginsATermAnew: the process was stopped between asking
// and hearing, past its deadline. The store has renewed all the same, under the same
// epoch; Lead has ended, so that somebody must lead again.
func TestARenewalHeardTooLateBeginsATermAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		defer db.Close()
		a := start(t, db, "a")
		synctest.Wait()
		first, _ := a.Held()
		a.line.hold.Store(int64(ttl - ttl/5)) // asked before ttl/3, heard after the deadline
		time.Sleep(ttl + ttl/6)
		epoch, ok := a.Held()
		require.True(t, ok)
		require.Equal(t, first, epoch)
		require.Equal(t, "+-+", a.history(), "it holds the lease, and nobody leads")
		a.stop()
	})
}

func TestHolderStopsByItselfWhenTheStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		defer db.Close()
		a := start(t, db, "a")
		time.Sleep(10 * time.Second)
		b := start(t, db, "b")
		synctest.Wait()
		require.True(t, held(a))
		a.line.away.Store(true)
		time.Sleep(ttl / 2)
		require.True(t, held(a), "an outage shorter than the TTL costs nothing")
		overlap := 0
		for range 1000 {
			time.Sleep(10 * time.Millisecond)
			if held(a) && held(b) {
				overlap++
			}
		}
		require.Zero(t, overlap, "never two at once")
		require.False(t, held(a))
		require.True(t, held(b))
		require.Equal(t, "+-", a.history())

		a.line.away.Store(false)
		time.Sleep(ttl)
		require.Equal(t, "held by b", a.Status().Reason)
		a.stop()
		b.stop()
	})
}

func TestSkewedClockRefusesTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		defer db.Close()
		a := start(t, db, "a")
		time.Sleep(time.Second)
		require.True(t, held(a))
		for _, skew := range []time.Duration{5 * time.Minute, -5 * time.Minute} {
			a.line.offset.Store(int64(skew))
			time.Sleep(ttl)
			require.False(t, held(a))
			require.Contains(t, a.Status().Reason, "from reference time")
			l, ok, err := db.AcquireLease(t.Context(), lease.Controller, "b", time.Millisecond)
			require.NoError(t, err)
			require.True(t, ok, "it gave up what it held: %+v", l)
			a.line.offset.Store(int64(4 * time.Second))
			time.Sleep(ttl)
			require.True(t, held(a), "a small skew is borne")
		}
		require.Equal(t, "+-+-+", a.history())
		a.stop()
	})
}

func TestTermsOfOneProcessNeverOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := open(t)
		defer db.Close()
		a := start(t, db, "a")
		for range 20 {
			a.line.away.Store(true)
			time.Sleep(ttl + ttl/2)
			a.line.away.Store(false)
			time.Sleep(ttl)
		}
		a.stop()
		h := a.history()
		require.Regexp(t, `^(\+-){20,22}$`, h)
	})
}

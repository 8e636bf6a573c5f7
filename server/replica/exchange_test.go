package replica_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/replica"
	"github.com/allspark/allspark/server/store"
)

// line is a real store whose line can be cut.
type line struct {
	*store.DB
	away bool
}

var errAway = errors.New("connection refused")

func (l *line) Publish(ctx context.Context, b replica.Beat, whole bool, parts []replica.Part) (bool, error) {
	if l.away {
		return false, errAway
	}
	return l.DB.Publish(ctx, b, whole, parts)
}

// notes is a topic that tells what is in mine and knows what others told.
type notes struct {
	mine   map[string]string
	moved  map[string]bool
	heard  map[string]string // "peer/part" -> body
	alive  map[string]bool
	resets int
}

func newNotes() *notes {
	return &notes{mine: map[string]string{}, moved: map[string]bool{}, heard: map[string]string{}, alive: map[string]bool{}}
}

func (n *notes) set(part, body string) { n.mine[part], n.moved[part] = body, true }

func (n *notes) Topic() string { return "notes" }

func (n *notes) Tell(_ time.Time, whole bool) (out []replica.Part) {
	for part, body := range n.mine {
		if whole || n.moved[part] {
			out = append(out, replica.Part{Topic: "notes", Name: part, Body: []byte(body)})
		}
	}
	clear(n.moved)
	return out
}

func (n *notes) Hear(peer string, p replica.Part, _ time.Time) error {
	if n.heard[peer+"/"+p.Name] = string(p.Body); len(p.Body) == 0 {
		delete(n.heard, peer+"/"+p.Name)
	}
	return nil
}

func (n *notes) Reset(peer string, _ time.Time) { clear(n.heard); n.resets++ }

func (n *notes) Peer(peer string, alive bool, _, _ time.Time) { n.alive[peer] = alive }

type house struct {
	*replica.Exchange
	*notes
	line *line
	log  bytes.Buffer
}

func newHouse(db *store.DB, name string) *house {
	h := &house{notes: newNotes(), line: &line{DB: db}}
	h.Exchange = replica.New(replica.Config{Name: name, Store: h.line, Topics: []replica.Topic{h.notes}, Log: slog.New(slog.NewTextHandler(&h.log, nil))})
	return h
}

// bed runs a test in virtual time on a database of its own.
func bed(t *testing.T, test func(t *testing.T, db *store.DB)) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "r.db"), store.WithClock(time.Now))
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, db.Migrate(t.Context()))
		test(t, db)
	})
}

func turn(t *testing.T, hs ...*house) {
	t.Helper()
	for _, h := range hs {
		require.NoError(t, h.Turn(t.Context()))
		time.Sleep(replica.Every / time.Duration(len(hs)))
	}
}

func TestEachKnowsWhatTheOthersTell(t *testing.T) {
	bed(t, func(t *testing.T, db *store.DB) {
		a, b := newHouse(db, "a"), newHouse(db, "b")
		a.set("one", "first")
		for range 3 {
			turn(t, a, b)
		}
		require.Equal(t, map[string]string{"a/one": "first"}, b.heard)
		a.set("one", "second")
		turn(t, a, b)
		require.Equal(t, map[string]string{"a/one": "second"}, b.heard)
		require.True(t, b.alive["a"])

		for range int(replica.BeatTTL/replica.Every) + 1 { // a says nothing more
			turn(t, b)
		}
		require.False(t, b.alive["a"])
		again := newHouse(db, "a") // restarted: what it told before is void
		for range 3 {
			turn(t, again, b)
		}
		require.True(t, b.alive["a"])
		require.Empty(t, b.heard)
		require.Positive(t, b.resets)
	})
}

// TestAWholeAccountHoldsNothingThatIsGone: what could not be told while the database
// was away is not told once it has gone.
func TestAWholeAccountHoldsNothingThatIsGone(t *testing.T) {
	bed(t, func(t *testing.T, db *store.DB) {
		a, b := newHouse(db, "a"), newHouse(db, "b")
		turn(t, b)
		a.set("gone", "here")
		a.line.away = true
		require.ErrorIs(t, a.Turn(t.Context()), errAway)
		delete(a.mine, "gone") // before anybody was told of it
		a.set("kept", "here")
		a.line.away = false
		turn(t, b)
		for range 2 {
			turn(t, a, b)
		}
		require.Equal(t, map[string]string{"a/kept": "here"}, b.heard)
	})
}

// TestTwoOfOneNameSaySo: both say it, and one that lost its rows once does not.
func TestTwoOfOneNameSaySo(t *testing.T) {
	const said = "another controller has this one's name"
	bed(t, func(t *testing.T, db *store.DB) {
		one, two := newHouse(db, "a"), newHouse(db, "a")
		for range 20 {
			turn(t, one, two)
		}
		require.Contains(t, one.log.String(), said)
		require.Contains(t, two.log.String(), said)
	})
	bed(t, func(t *testing.T, db *store.DB) {
		a := newHouse(db, "a")
		turn(t, a, a)
		_, err := db.ForgetReplicas(t.Context(), time.Now().Add(time.Hour)) // as a database that crashed
		require.NoError(t, err)
		for range 20 {
			turn(t, a)
		}
		require.NotContains(t, a.log.String(), said)
	})
}

package gearbox_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/gearbox"
	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

// saved writes a snapshot of level 4 and gives its directory and content.
func saved(t testing.TB) (dir string, content []byte) {
	dir = t.TempDir()
	b, table := newBox(), tagTable(10)
	b.AddTables([]gear.LevelTable{table, tagTable(3)})
	b.Contact()
	require.False(t, b.Apply(set(5, order("*", "recall", "*", table, 4))).Refused)
	require.NoError(t, b.Persist(dir))
	content, err := os.ReadFile(filepath.Join(dir, gearbox.SnapshotFile))
	require.NoError(t, err)
	return dir, content
}

func TestSnapshotSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, _ := saved(t)
		b := newBox()
		b.Scene("k2")
		require.NoError(t, b.Restore(dir))
		require.Equal(t, gear.RungLastGood, b.Load().Rung)
		require.Equal(t, int64(40), tags(t, b, "k2"))
		held, hash := b.Held()
		require.Equal(t, gear.Version{Epoch: 1, Revision: 5}, held)
		require.NotEmpty(t, hash)
		require.Len(t, b.Tables(), 1, "only what the set needs is kept")
		require.True(t, b.Apply(set(4)).Refused, "older than what was held before the restart")

		time.Sleep(gearbox.DefaultTTL)
		b.Tick()
		require.Equal(t, int64(77), tags(t, b, "k2"), "the TTL counts from the save")
		late := newBox()
		require.NoError(t, late.Restore(dir))
		require.Equal(t, int64(77), tags(t, late, "*"), "also over a restart")
		late.Contact()
		require.Equal(t, int64(40), tags(t, late, "*"), "until a controller confirms it")
	})
}

func TestNoSnapshotIsNoError(t *testing.T) {
	b := newBox()
	require.NoError(t, b.Restore(t.TempDir()))
	require.NoError(t, b.Persist(filepath.Join(t.TempDir(), "missing")), "nothing held, nothing to write")
	require.Equal(t, gear.RungDefault, b.Load().Rung)
}

func TestASnapshotOfAnotherAppOrBuildIsNotUsed(t *testing.T) {
	dir, _ := saved(t)
	b := gearbox.New(gearbox.Config{App: "merger", IDC: "et2", Meter: meter.New()})
	require.ErrorContains(t, b.Restore(dir), "this is app merger")
	narrow := gearbox.New(gearbox.Config{App: "sn", IDC: "et2", Meter: meter.New()})
	narrow.Declare(gearbox.Point{PointDecl: gear.PointDecl{Name: "recall", Params: []gear.Param{{
		Name: "tag_count", Kind: gear.KindInt, Max: gear.Int(50), Default: gear.Int(1),
	}}}})
	require.ErrorContains(t, narrow.Restore(dir), "tag_count wants int ..50, got 60 at level 6")
	require.Equal(t, gear.RungDefault, narrow.Load().Rung)
}

func TestTheSnapshotIsRefreshedWhileTheStreamIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		b, table := newBox(), tagTable(10)
		b.AddTables([]gear.LevelTable{table})
		b.SetTTL(time.Minute)
		b.Contact()
		b.Apply(set(5, order("*", "recall", "*", table, 4)))
		for range 600 { // ten minutes without a change
			require.NoError(t, b.Persist(dir))
			time.Sleep(time.Second)
		}
		fresh := newBox()
		require.NoError(t, fresh.Restore(dir))
		require.Equal(t, gear.RungLastGood, fresh.Load().Rung)
	})
}

// TestR09: whatever happens to the snapshot, the agent starts; on defaults unless
// the file is exactly what was written, and it says why.
func TestR09DamagedSnapshots(t *testing.T) {
	dir, good := saved(t)
	path := filepath.Join(dir, gearbox.SnapshotFile)
	outcomes := map[string]int{}
	for seed := range uint64(10_000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		p := append([]byte(nil), good...)
		var kind string
		switch seed % 5 {
		case 0:
			kind, p = "truncated", p[:rng.IntN(len(p))]
		case 1:
			kind = "flipped"
			for range 1 + rng.IntN(8) {
				p[rng.IntN(len(p))] ^= 1 << rng.IntN(8)
			}
		case 2:
			kind = "overwritten"
			from := rng.IntN(len(p))
			for i := from; i < min(from+1+rng.IntN(64), len(p)); i++ {
				p[i] = byte(rng.Uint32())
			}
		case 3:
			kind = "noise"
			p = make([]byte, rng.IntN(512))
			for i := range p {
				p[i] = byte(rng.Uint32())
			}
			copy(p, good[:min(len(p), rng.IntN(40))])
		case 4:
			kind = "lengthened"
			p = append(p, make([]byte, 1+rng.IntN(64))...)
		}
		if string(p) == string(good) {
			continue // the flips cancelled out
		}
		b := newBox()
		var err error
		if seed%50 < 5 { // one in ten through a real file, of every kind of damage
			require.NoError(t, os.WriteFile(path, p, 0o600))
			err = b.Restore(dir)
		} else {
			err = b.RestoreContent(p)
		}
		require.ErrorIs(t, err, gearbox.ErrDamaged, "seed %d: %s", seed, kind)
		require.Equal(t, gear.RungDefault, b.Load().Rung)
		require.Equal(t, int64(77), tags(t, b, "*"))
		outcomes[kind]++
	}
	require.Len(t, outcomes, 5)

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.ErrorIs(t, newBox().Restore(dir), gearbox.ErrDamaged, "empty")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Mkdir(path, 0o700))
	require.Error(t, newBox().Restore(dir), "a directory in its place")
}

// A snapshot whose checksum is right but whose content a liar wrote must not
// panic either.
func FuzzRestore(f *testing.F) {
	_, good := saved(f)
	f.Add(good)
	f.Fuzz(func(t *testing.T, p []byte) {
		b := newBox()
		if b.RestoreContent(gearbox.Sealed(p)) != nil {
			require.Equal(t, int64(77), tags(t, b, "*"))
		}
	})
}

const fullDisk = "ALLSPARK_TEST_FULL_DISK"

// TestR09FullDisk runs itself in a process whose files cannot grow past 64 bytes.
func TestR09FullDisk(t *testing.T) {
	if dir := os.Getenv(fullDisk); dir != "" {
		signal.Ignore(syscall.SIGXFSZ) // as ENOSPC: an error, no signal
		limit := syscall.Rlimit{Cur: 64, Max: 64}
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
		b, table := newBox(), tagTable(10)
		b.AddTables([]gear.LevelTable{table})
		require.NoError(t, b.Restore(dir))
		require.Equal(t, int64(40), tags(t, b, "*"))
		b.Contact()
		require.False(t, b.Apply(set(6, order("*", "recall", "*", table, 6))).Refused)
		require.ErrorContains(t, b.Persist(dir), "write snapshot")
		require.False(t, b.Persisted())
		require.Equal(t, int64(60), tags(t, b, "*"), "the order is in force all the same")
		return
	}
	dir, good := saved(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestR09FullDisk$")
	cmd.Env = append(os.Environ(), fullDisk+"="+dir)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))

	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "no half-written file is left behind")
	now, err := os.ReadFile(filepath.Join(dir, gearbox.SnapshotFile))
	require.NoError(t, err)
	require.Equal(t, good, now, "the old snapshot is untouched")
}

package gearbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// SnapshotFile is the name of the snapshot within an agent's data directory.
const SnapshotFile = "gears.snapshot"

// retryDisk spares a disk that just refused a write.
const retryDisk = 30 * time.Second

// diskState tells when to write. It is under the box's lock.
type diskState struct {
	dirty bool
	saved time.Time // monotonic; zero before the first
	retry time.Time // after a failure: not before
}

// Restore reads the snapshot in dir. Without one, or with one that cannot be
// trusted, the box stays on defaults; the error says why (nil when there is just
// none yet).
func (b *Box) Restore(dir string) error {
	path := filepath.Join(dir, SnapshotFile)
	p, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read snapshot: %w", err)
	}
	s, err := decodeSnapshot(p)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return b.restore(s)
}

func (b *Box) restore(s *snapshot) error {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range s.tables {
		if bad := s.tables[i].CheckShape(); len(bad) > 0 {
			return fmt.Errorf("%w: %w", ErrDamaged, bad)
		}
		b.keep(&s.tables[i])
	}
	// A set that this build's declarations refuse is no order at all: the app was
	// changed since. The controller sends it again and hears the refusal.
	if bad := b.check(s.set); len(bad) > 0 {
		return fmt.Errorf("snapshot does not fit this build: %w", bad)
	}
	if b.held != nil && s.set.Version().Less(b.held.Version()) {
		return nil
	}
	b.held = s.set
	if s.ttl > 0 {
		b.ladder.ttl = s.ttl
	}
	// Only the wall clock spans a restart. A clock that went back makes the
	// snapshot fresh, never older than it is.
	age := max(now.Round(0).Sub(s.saved), 0)
	b.ladder.contact = now.Add(-age)
	b.resolve(now)
	return nil
}

// Persist writes the snapshot to dir when the set changed, or when the one on
// disk would count as older than a quarter of the TTL though the stream is up.
func (b *Box) Persist(dir string) error {
	now := time.Now()
	b.mu.Lock()
	stale := b.ladder.live && now.Sub(b.disk.saved) > b.ladder.ttl/4
	if b.held == nil || !b.disk.dirty && !stale || now.Before(b.disk.retry) {
		b.mu.Unlock()
		return nil
	}
	s := b.snapshot(now)
	b.disk.dirty = false
	b.disk.saved = now
	b.mu.Unlock()
	p, err := s.encode()
	if err == nil {
		err = WriteAtomic(filepath.Join(dir, SnapshotFile), p)
	}
	if err != nil {
		b.mu.Lock()
		b.disk.dirty = true
		b.disk.retry = now.Add(retryDisk)
		b.mu.Unlock()
		return fmt.Errorf("write snapshot: %w", err)
	}
	return nil
}

// Persisted reports whether what is held is on disk.
func (b *Box) Persisted() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.disk.saved.IsZero() && !b.disk.dirty
}

func (b *Box) snapshot(now time.Time) *snapshot {
	s := &snapshot{saved: now.Round(0), ttl: b.ladder.ttl, set: b.held}
	if !b.ladder.live && !b.ladder.contact.IsZero() {
		s.saved = now.Add(-now.Sub(b.ladder.contact)).Round(0)
	}
	used := b.usedTables()
	for _, h := range b.age {
		if used[h] {
			s.tables = append(s.tables, *b.tables[h])
		}
	}
	return s
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path) // #nosec G304 -- the agent's own data directory
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := io.ReadAll(io.LimitReader(f, maxSnapshot+1))
	if err == nil && len(p) > maxSnapshot {
		err = fmt.Errorf("%w: larger than %d bytes", ErrDamaged, maxSnapshot)
	}
	return p, err
}

// WriteAtomic replaces a file as a whole: a reader, or a machine that loses its
// power, finds the old content or the new one.
func WriteAtomic(path string, p []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(p); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

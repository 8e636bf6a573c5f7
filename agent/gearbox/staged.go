package gearbox

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/allspark/allspark/agent/staged"
	"github.com/allspark/allspark/proto/gear"
)

// soon is how far ahead a due instant gets a timer of its own; the estimate of
// reference time may still move before that.
const soon = 2500 * time.Millisecond

// Clock estimates reference time, and how far the machine's clock is ahead of it;
// known is false before a controller has answered.
type Clock func() (reference time.Time, ahead time.Duration, known bool)

// stagedState is under the box's lock.
type stagedState struct {
	line  staged.Timeline
	clock Clock
	ahead time.Duration // of the machine's clock, from disk, until a controller answers
	timer *time.Timer
	dirty bool
	retry time.Time
}

// UseClock gives the box its estimate of reference time. Call it before the
// first Stage or RestoreStaged.
func (b *Box) UseClock(c Clock) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.staged.clock = c
}

// reference is the estimate of reference time at now.
func (b *Box) reference(now time.Time) (ref time.Time, ahead time.Duration) {
	if b.staged.clock != nil {
		ref, ahead, known := b.staged.clock()
		if known {
			return ref, ahead
		}
		now = ref // the machine's clock, which the one on disk was
	}
	return now.Round(0).Add(-b.staged.ahead), b.staged.ahead
}

// Stage holds plan steps beforehand, in place of those held, or refuses them as a
// whole. Both are the box's afterwards.
func (b *Box) Stage(s *gear.Staged, tables []gear.LevelTable) gear.StagedAck {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if bad := b.checkStaged(s, tables); len(bad) > 0 {
		return gear.StagedAck{Hash: s.Hash, Refused: true, Problems: bad}
	}
	if s.Hash != b.staged.line.Hash() {
		b.staged.dirty = true
	}
	if b.staged.line.Put(s, tables) {
		b.resolve(now)
		b.arm(now)
	}
	return gear.StagedAck{Hash: b.staged.line.Hash()}
}

// RefuseStaged makes the refusal of steps that could not even be read.
func (b *Box) RefuseStaged(hash string, why gear.Problems) gear.StagedAck {
	return gear.StagedAck{Hash: hash, Refused: true, Problems: why}
}

func (b *Box) checkStaged(s *gear.Staged, tables []gear.LevelTable) gear.Problems {
	var out gear.Problems
	for i := range tables {
		bad := tables[i].CheckShape()
		if len(bad) > 0 || tables[i].Hash == "" {
			out = append(out, bad.Under(fmt.Sprintf("tables[%d]", i))...)
			continue
		}
		b.keep(&tables[i])
	}
	out = append(out, gear.CheckStaged(s, func(hash string) *gear.LevelTable { return b.tables[hash] })...)
	if len(out) > 0 {
		return out
	}
	for i := range s.Entries {
		out = append(out, b.check(&s.Entries[i].Set).Under(fmt.Sprintf("entries[%d]", i))...)
	}
	return out
}

// Staged gives what is held beforehand, nil for nothing. It must not be changed.
func (b *Box) Staged() *gear.Staged {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.staged.line.Held()
}

// StagedHash names what is held beforehand, "" for nothing.
func (b *Box) StagedHash() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.staged.line.Hash()
}

// inForce gives the set that answers at now, and its rung; nil on defaults.
func (b *Box) inForce(now time.Time) (*gear.OrderSet, gear.Rung) {
	rung := b.ladder.rung(b.held != nil, now)
	ref, _ := b.reference(now)
	e := b.staged.line.Due(ref)
	if e != nil {
		var decided time.Time
		if b.held != nil {
			decided = b.held.Decided
		}
		fresh := b.ladder.live || ref.Sub(e.At) < b.ladder.ttl || !b.ladder.contact.IsZero() && now.Sub(b.ladder.contact) < b.ladder.ttl
		if staged.Counts(e, decided, rung, fresh) {
			return &e.Set, gear.RungStaged
		}
	}
	if rung == gear.RungDefault {
		return nil, rung
	}
	return b.held, rung
}

// arm sets a timer for the next instant, when it is near. Tick calls it again
// with a better estimate of reference time.
func (b *Box) arm(now time.Time) {
	if b.staged.timer != nil {
		b.staged.timer.Stop()
		b.staged.timer = nil
	}
	ref, _ := b.reference(now)
	if at, ok := b.staged.line.Next(ref); ok && at.Sub(ref) <= soon {
		b.staged.timer = time.AfterFunc(at.Sub(ref), b.Tick)
	}
}

// RestoreStaged reads the staged steps kept in dir. Without a file, or with one
// that cannot be trusted, nothing is staged; the error says why.
func (b *Box) RestoreStaged(dir string) error {
	path := filepath.Join(dir, staged.File)
	p, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read staged steps: %w", err)
	}
	s, tables, ahead, err := staged.Decode(p)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if bad := b.checkStaged(&s, tables); len(bad) > 0 {
		return fmt.Errorf("staged steps do not fit this build: %w", bad)
	}
	b.staged.ahead = ahead
	b.staged.line.Put(&s, tables)
	b.resolve(now)
	b.arm(now)
	return nil
}

// PersistStaged writes the staged steps to dir when they changed.
func (b *Box) PersistStaged(dir string) error {
	now := time.Now()
	b.mu.Lock()
	held := b.staged.line.Held()
	if held == nil || !b.staged.dirty || now.Before(b.staged.retry) {
		b.mu.Unlock()
		return nil
	}
	_, ahead := b.reference(now)
	tables := b.staged.line.Tables()
	b.staged.dirty = false
	b.mu.Unlock()
	p, err := staged.Encode(held, tables, ahead)
	if err == nil {
		err = WriteAtomic(filepath.Join(dir, staged.File), p)
	}
	if err != nil {
		b.mu.Lock()
		b.staged.dirty, b.staged.retry = true, now.Add(retryDisk)
		b.mu.Unlock()
		return fmt.Errorf("write staged steps: %w", err)
	}
	return nil
}

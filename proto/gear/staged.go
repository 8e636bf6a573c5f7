package gear

import (
	"fmt"
	"time"
)

// MaxStaged bounds the instants that are staged for one app x IDC.
const MaxStaged = 64

// Staged is what one app in one IDC must do from each of some instants on, sent
// ahead so that agents act on their own when no controller speaks.
type Staged struct {
	App, IDC string
	AsOf     time.Time // reference time at which it was worked out; an older one is ignored
	Hash     string    // of the entries
	Entries  []StagedEntry
}

// StagedEntry is the whole order set from an instant of reference time on. An
// order set that was decided at or after At counts instead of it.
type StagedEntry struct {
	At  time.Time
	Set OrderSet
	// Peak tells that plan steps are in force: until the next entry no fallback
	// exceeds the set.
	Peak  bool
	Steps []StagedStep
}

// StagedStep names a plan step that takes effect, or ends, at an entry's instant.
// A controller's order and a staged entry that name the same step are one
// transition.
type StagedStep struct {
	Plan, Step string
	Epoch      int64
	Ends       bool
}

// StagedAck answers a Staged: held, or refused with every offending path.
type StagedAck struct {
	Hash     string
	Refused  bool
	Problems []Problem
}

// ComputeHash names the entries, whenever they were worked out.
func (s *Staged) ComputeHash() string {
	if len(s.Entries) == 0 {
		return ""
	}
	d := newDigest("staged/1")
	d.str(s.App)
	d.str(s.IDC)
	for i := range s.Entries {
		e := &s.Entries[i]
		d.num(uint64(e.At.UnixNano()))
		d.str(e.Set.ComputeHash())
		d.bool(e.Peak)
		d.num(uint64(len(e.Steps)))
		for _, x := range e.Steps {
			d.str(x.Plan)
			d.str(x.Step)
			d.num(uint64(x.Epoch))
			d.bool(x.Ends)
		}
	}
	return d.sum()
}

func (d *digest) bool(b bool) {
	n := uint64(0)
	if b {
		n = 1
	}
	d.num(n)
}

// CheckStaged tells what is wrong with a Staged, apart from what only the app's
// declarations can tell. Lookup finds a level table by hash, nil when unknown.
func CheckStaged(s *Staged, lookup func(hash string) *LevelTable) Problems {
	var out Problems
	if len(s.Entries) > MaxStaged {
		out.Add("entries", CodeLength, fmt.Sprintf("at most %d instants are staged, got %d", MaxStaged, len(s.Entries)))
		return out
	}
	for i := range s.Entries {
		e, at := &s.Entries[i], fmt.Sprintf("entries[%d]", i)
		if i > 0 && !e.At.After(s.Entries[i-1].At) {
			out.Add(at+".at", CodeOrder, "entries must stand by rising instants")
		}
		if e.Set.App != s.App || e.Set.IDC != s.IDC {
			out.Add(at+".orders", CodeShape, "an entry's set must be of the same app and IDC")
		}
		for _, x := range CheckOrderSet(&e.Set, lookup).Under(at + ".orders") {
			out.Add(x.Path, x.Code, x.Message)
		}
	}
	if want := s.ComputeHash(); len(out) == 0 && s.Hash != want {
		out.Add("hash", CodeHash, "the hash does not name the entries")
	}
	return out
}

package gearbox

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// maxTables bounds the table cache. Tables of the held set are never dropped, and a
// set of half as many always fits beside it. A hello lists them all: with twice as
// many it would be larger than a controller takes.
const maxTables = 2048

// AddTables keeps level tables for the sets that will name them. A table that is
// not whole is refused; the others are kept.
func (b *Box) AddTables(tables []gear.LevelTable) gear.Problems {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out gear.Problems
	for i := range tables {
		t := &tables[i]
		bad := t.CheckShape()
		if t.Hash == "" {
			bad.Add("hash", gear.CodeRequired, "a table needs its hash")
		}
		if len(bad) > 0 {
			out = append(out, bad.Under(fmt.Sprintf("tables[%d]", i))...)
			continue
		}
		b.keep(t)
	}
	return out
}

func (b *Box) keep(t *gear.LevelTable) {
	if b.tables[t.Hash] != nil {
		return // immutable: the one we have is the same
	}
	b.tables[t.Hash] = t
	b.age = append(b.age, t.Hash)
	if len(b.age) > maxTables {
		b.dropUnused()
	}
}

// dropUnused forgets the oldest tables that are not in use, until half are left.
func (b *Box) dropUnused() {
	used := b.usedTables()
	surplus := len(b.age) - maxTables/2
	kept := b.age[:0]
	for _, h := range b.age {
		if surplus > 0 && !used[h] {
			surplus--
			delete(b.tables, h)
			for k := range b.compiled {
				if k.table == h {
					delete(b.compiled, k)
				}
			}
			continue
		}
		kept = append(kept, h)
	}
	b.age = kept
}

func (b *Box) usedTables() map[string]bool {
	used := map[string]bool{}
	if b.held != nil {
		for i := range b.held.Orders {
			used[b.held.Orders[i].Table] = true
		}
	}
	for _, t := range b.staged.line.Tables() {
		used[t.Hash] = true
	}
	return used
}

// Missing lists the tables a set names and the box does not have.
func (b *Box) Missing(s *gear.OrderSet) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	seen := map[string]bool{}
	for i := range s.Orders {
		if h := s.Orders[i].Table; b.tables[h] == nil && !seen[h] {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out
}

// Apply puts the whole set in force, or refuses the whole set and keeps the last
// good one. The set is the box's afterwards.
func (b *Box) Apply(s *gear.OrderSet) gear.Ack {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held != nil {
		switch held := b.held.Version(); {
		case s.Version().Less(held):
			return gear.Ack{Version: s.Version(), Refused: true, Problems: gear.Problems{{
				Path: "revision", Code: CodeStale,
				Message: fmt.Sprintf("epoch %d revision %d is older than epoch %d revision %d, which is held", s.Epoch, s.Revision, held.Epoch, held.Revision),
			}}}
		case s.Version() == held && s.Hash == b.held.Hash:
			b.ladder.refused = false
			b.resolve(now)
			return b.heldAck()
		}
	}
	if bad := b.check(s); len(bad) > 0 {
		return b.refuse(s.Version(), bad, now)
	}
	b.held = s
	b.ladder.refused = false
	b.ladder.touch(now)
	b.disk.dirty = true
	b.resolve(now)
	return b.heldAck()
}

// CodeStale says that a newer set is held.
const CodeStale = "stale"

// Refuse notes that the set of a version could not even be read, and makes the
// refusal. The last good set stays.
func (b *Box) Refuse(v gear.Version, why gear.Problems) gear.Ack {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refuse(v, why, time.Now())
}

func (b *Box) refuse(v gear.Version, why gear.Problems, now time.Time) gear.Ack {
	b.ladder.refused = true
	b.resolve(now)
	return gear.Ack{Version: v, Refused: true, Problems: why}
}

func (b *Box) heldAck() gear.Ack {
	return gear.Ack{Version: b.held.Version(), Refused: len(b.misfit) > 0, Problems: b.misfit}
}

// check finds everything wrong with a set, for this app as it is declared.
// Orders for points this build does not have are no concern of it.
func (b *Box) check(s *gear.OrderSet) gear.Problems {
	out := gear.CheckOrderSet(s, func(hash string) *gear.LevelTable { return b.tables[hash] })
	if s.App != b.cfg.App {
		out.Add("app", gear.CodeUnknown, fmt.Sprintf("this is app %s, got orders of %q", b.cfg.App, gear.Shown(s.App)))
	}
	if s.IDC != b.cfg.IDC {
		out.Add("idc", gear.CodeUnknown, fmt.Sprintf("this is IDC %s, got orders of %q", b.cfg.IDC, gear.Shown(s.IDC)))
	}
	if len(out) > 0 {
		return out
	}
	for i := range s.Orders {
		b.checkOrder(fmt.Sprintf("orders[%d]", i), &s.Orders[i], &out)
	}
	return out
}

func (b *Box) checkOrder(at string, o *gear.Order, out *gear.Problems) {
	add := func(more gear.Problems) {
		for _, p := range more {
			out.Add(p.Path, p.Code, p.Message)
		}
	}
	if _, _, ok := ParseBucket(o.Bucket); !ok && o.Bucket != gear.Any {
		add(gear.Problems{{Path: at + ".bucket", Code: gear.CodeName, Message: fmt.Sprintf("bucket wants * or lo-hi of %d, got %q", Slices, gear.Shown(o.Bucket))}})
	}
	id, ok := b.byName[o.Point]
	if !ok {
		return
	}
	add(b.compile(id, b.tables[o.Table]).problems.Under(at + ".table"))
	p := &b.points[id]
	if o.Strategy != gear.StrategyExternalTimeout {
		return
	}
	if !p.External {
		add(gear.Problems{{Path: at + ".strategy", Code: gear.CodeType, Message: fmt.Sprintf("point %s is no external call and has no timeout", p.Name)}})
		return
	}
	wants := gear.Param{Name: "timeout", Kind: gear.KindDuration}
	if p.Timeout.Min > 0 {
		wants.Min = gear.Duration(p.Timeout.Min)
	}
	if p.Timeout.Max > 0 {
		wants.Max = gear.Duration(p.Timeout.Max)
	}
	if bad, ok := wants.Check(gear.Duration(o.Timeout)); !ok {
		add(gear.Problems{bad}.Under(at))
	}
}

package push

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Why tells why a member does not hold the newest version.
type Why string

// The reasons.
const (
	Waiting      Why = "waiting"      // sent or about to be, not answered yet
	Disconnected Why = "disconnected" // its stream broke
	Refused      Why = "refused"      // it answered that it cannot
)

// Straggler is a member that does not hold the newest version.
type Straggler struct {
	Instance string
	Why      Why
	Held     gear.Version
	Since    time.Time // of the disconnection
	Problems gear.Problems
}

// Reason groups refusals that say the same.
type Reason struct {
	Problem gear.Problem // the first of the refusal
	Count   int
}

// Progress is how far one version has come.
type Progress struct {
	Key         Key
	Version     gear.Version
	Hash        string
	PublishedAt time.Time
	Expected    int
	Held        int
	Refused     int
	Away        int
	To50        time.Duration // 0: not reached
	To99        time.Duration
	To100       time.Duration
	Superseded  bool        // a newer version came: the figures are those of that moment
	Stragglers  []Straggler // by name, at most Options.Names; refused first
	Reasons     []Reason    // most frequent first
}

// ledger is the pure part: it is told what happened and when.
type ledger struct {
	key     Key
	names   int
	keep    int
	members map[string]*member
	held    int // members that hold the current version
	now     record
	past    []Progress // newest last
}

type record struct {
	version gear.Version
	hash    string
	at      time.Time
	to      [3]time.Duration
	latest  time.Time // of what was noted: others' answers come late and out of order
}

type member struct {
	held     gear.Version
	refused  gear.Version
	problems gear.Problems
	away     time.Time // zero: connected
}

var percents = [3]int{50, 99, 100}

func (l *ledger) publish(v gear.Version, hash string, at time.Time) {
	if l.now.version != (gear.Version{}) {
		p := l.progress()
		p.Superseded = true
		l.past = append(l.past, p)
		if len(l.past) > l.keep {
			l.past = slices.Delete(l.past, 0, len(l.past)-l.keep)
		}
	}
	l.now, l.held = record{version: v, hash: hash, at: at, latest: at}, 0
	for _, m := range l.members {
		if m.held == v {
			l.held++
		}
	}
	l.mark(at)
}

func (l *ledger) join(instance string, h Held, now time.Time) {
	l.forget(instance)
	m := &member{held: h.Version}
	if h.Refused.Refused {
		m.refused, m.problems = h.Refused.Version, h.Refused.Problems
	}
	l.members[instance] = m
	if m.held == l.now.version {
		l.held++
	}
	l.mark(now)
}

// rejoin keeps the problems of a refusal that the same stream made before.
func (l *ledger) rejoin(instance string, h Held, now time.Time) {
	if m := l.members[instance]; m != nil {
		h.Refused.Problems = m.problems
	}
	l.join(instance, h, now)
}

// ack reports whether anything changed.
func (l *ledger) ack(instance string, a gear.Ack, now time.Time) bool {
	m := l.members[instance]
	switch {
	case m == nil || l.now.version.Less(a.Version):
		return false
	case a.Refused:
		if m.refused == a.Version {
			return false
		}
		m.refused, m.problems = a.Version, a.Problems
	case m.held.Less(a.Version) || l.now.version == a.Version && m.held != a.Version:
		m.held = a.Version
		if m.held == l.now.version {
			l.held++
		}
	default:
		return false
	}
	l.mark(now)
	return true
}

// elsewhere reports whether anything changed.
func (l *ledger) elsewhere(instance string, e Elsewhere) bool {
	old := l.members[instance]
	if e.Gone {
		l.forget(instance)
		l.mark(l.now.latest)
		return old != nil
	}
	m := &member{held: e.Held, away: e.Away}
	if e.Refused.Refused {
		m.refused, m.problems = e.Refused.Version, e.Refused.Problems
	}
	if old != nil && old.held == m.held && old.refused == m.refused && old.away.IsZero() == m.away.IsZero() {
		return false
	}
	l.forget(instance)
	l.members[instance] = m
	if m.held == l.now.version {
		l.held++
	}
	l.mark(e.At)
	return true
}

func (l *ledger) leave(instance string, clean bool, now time.Time) {
	if clean {
		l.forget(instance)
		l.mark(now)
	} else if m := l.members[instance]; m != nil {
		m.away = now
	}
}

func (l *ledger) forget(instance string) {
	if m := l.members[instance]; m != nil {
		if m.held == l.now.version {
			l.held--
		}
		delete(l.members, instance)
	}
}

// expire forgets who has been away since before the given time.
func (l *ledger) expire(before, now time.Time) (changed bool) {
	for instance, m := range l.members {
		if !m.away.IsZero() && m.away.Before(before) {
			l.forget(instance)
			changed = true
		}
	}
	if changed {
		l.mark(now)
	}
	return changed
}

// mark notes the shares that are reached by now.
func (l *ledger) mark(now time.Time) {
	if l.now.version == (gear.Version{}) {
		return
	}
	if now.After(l.now.latest) {
		l.now.latest = now
	}
	for i, p := range percents {
		if l.now.to[i] == 0 && reached(l.held, len(l.members), p) {
			l.now.to[i] = max(l.now.latest.Sub(l.now.at), 1)
		}
	}
}

func (l *ledger) progress() Progress {
	p := Progress{
		Key: l.key, Version: l.now.version, Hash: l.now.hash, PublishedAt: l.now.at, Expected: len(l.members), Held: l.held,
		To50: l.now.to[0], To99: l.now.to[1], To100: l.now.to[2],
	}
	reasons := map[gear.Problem]int{}
	for instance, m := range l.members {
		if m.held == l.now.version {
			continue
		}
		s := Straggler{Instance: instance, Why: Waiting, Held: m.held}
		if m.refused == l.now.version {
			p.Refused++
			s.Why, s.Problems = Refused, m.problems
			var first gear.Problem
			if len(m.problems) > 0 {
				first = m.problems[0]
			}
			reasons[first]++
		} else if !m.away.IsZero() {
			p.Away++
			s.Why, s.Since = Disconnected, m.away
		}
		p.Stragglers = append(p.Stragglers, s)
	}
	slices.SortFunc(p.Stragglers, func(a, b Straggler) int {
		return cmp.Or(cmp.Compare(rank(a.Why), rank(b.Why)), cmp.Compare(a.Instance, b.Instance))
	})
	p.Stragglers = slices.Clip(p.Stragglers[:min(len(p.Stragglers), l.names)])
	for _, problem := range slices.SortedFunc(maps.Keys(reasons), func(a, b gear.Problem) int {
		return cmp.Or(cmp.Compare(reasons[b], reasons[a]), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Path, b.Path))
	}) {
		if len(p.Reasons) < l.names {
			p.Reasons = append(p.Reasons, Reason{Problem: problem, Count: reasons[problem]})
		}
	}
	return p
}

func rank(w Why) int {
	switch w {
	case Refused:
		return 0
	case Disconnected:
		return 1
	default:
		return 2
	}
}

package feedback

import (
	"cmp"
	"slices"
	"time"

	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/scene"
)

// Stands reads StandAt at one instant after the other, in one walk through the
// claims and the versions of a scene: what has not begun waits in order, what has
// ended is left behind.
type Stands struct {
	idc      string
	versions []*scene.Scene // newest first
	version  int            // that stands
	waiting  []ranked       // by their beginning
	active   []ranked       // in the order they were given in, which decides between equals
	until    time.Time      // when something begins or ends; zero: never again
	last     Stand
	begun    bool
}

// ranked is a claim and its place in the list.
type ranked struct {
	*control.Claim
	place int
}

// NewStands begins a walk. Versions come newest first, at least one; before the
// oldest, the oldest counts.
func NewStands(claims []*control.Claim, versions []*scene.Scene, idc string) *Stands {
	s := &Stands{idc: idc, versions: versions, version: len(versions) - 1}
	for i, c := range claims {
		s.waiting = append(s.waiting, ranked{c, i})
	}
	slices.SortStableFunc(s.waiting, func(a, b ranked) int { return a.Start.Compare(b.Start) })
	return s
}

// At gives how the scene stood at t, which is not before the t of any call before.
func (s *Stands) At(t time.Time) Stand {
	if s.begun && (s.until.IsZero() || t.Before(s.until)) {
		return s.last
	}
	s.begun = true
	for s.version > 0 && !s.versions[s.version-1].UpdatedAt.After(t) {
		s.version--
	}
	for len(s.waiting) > 0 && !s.waiting[0].Start.After(t) {
		s.active, s.waiting = append(s.active, s.waiting[0]), s.waiting[1:]
	}
	s.active = slices.DeleteFunc(s.active, func(c ranked) bool { return !c.Active(t) })
	slices.SortFunc(s.active, func(a, b ranked) int { return cmp.Compare(a.place, b.place) })
	claims := make([]*control.Claim, len(s.active))
	s.until = time.Time{}
	for i, c := range s.active {
		claims[i] = c.Claim
		s.change(c.End)
		s.change(c.Released)
	}
	if len(s.waiting) > 0 {
		s.change(s.waiting[0].Start)
	}
	if s.version > 0 {
		s.change(s.versions[s.version-1].UpdatedAt)
	}
	s.last = StandAt(claims, s.versions[s.version], s.idc, t)
	return s.last
}

// change notes when something changes next.
func (s *Stands) change(at time.Time) {
	if !at.IsZero() && (s.until.IsZero() || at.Before(s.until)) {
		s.until = at
	}
}

package control

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/template"
)

// Explanation answers "why this gear" for a place at a second.
type Explanation struct {
	At    time.Time
	Place Scope
	// Version, ShiftAt and Cause tell which line of the journal was in force.
	Version gear.Version
	ShiftAt time.Time
	Cause   string
	// Order is what the journal held for the place: the entry of its scene and
	// bucket, or of Any. Nil when nothing served it.
	Order *gear.Order
	Why   Why
	// Reproduced tells that replaying Decide gave the journalled set, hash for hash.
	Reproduced bool
	// Pending tells that the claims of that second were not decided on yet; Why
	// tells of those the journalled set was decided on.
	Pending bool
}

// Lookup finds the order that answers for a scene and bucket at a point: the most
// specific entry, scene before bucket, as agents do.
func Lookup(s *gear.OrderSet, scene, point, bucket string) *gear.Order {
	for _, sc := range []string{scene, gear.Any} {
		for _, b := range []string{bucket, gear.Any} {
			for i := range s.Orders {
				if o := &s.Orders[i]; o.Point == point && o.Scene == sc && o.Bucket == b {
					return o
				}
			}
		}
	}
	return nil
}

// Explain replays the decision that held for a place at a second; a zero at means
// now. Where the app x IDC has no journal yet it is fault.NotFound.
func (s *Service) Explain(ctx context.Context, place Scope, at time.Time) (*Explanation, error) {
	place = Scope{Scene: orAny(place.Scene), IDC: place.IDC, App: place.App, Point: place.Point, Bucket: orAny(place.Bucket)}
	var problems gear.Problems
	for i, f := range place.fields() {
		if !gear.PlaceName(f) && (f != gear.Any || i != 0 && i != 4) {
			problems.Add(scopeNames[i], gear.CodeName, fmt.Sprintf("%s wants a name, got %q", scopeNames[i], gear.Shown(f)))
		}
	}
	if len(problems) > 0 {
		return nil, fault.WithProblems(problems, "the place is not valid")
	}
	now, err := s.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	if at.IsZero() || at.After(now) {
		at = now
	}
	shift, err := s.store.ShiftAt(ctx, place.App, place.IDC, at)
	if err != nil {
		return nil, err
	}
	in, err := InputOf(ctx, shift, s.templates)
	if err != nil {
		return nil, err
	}
	then, err := s.store.ClaimsAt(ctx, at)
	if err != nil {
		return nil, err
	}
	e := &Explanation{At: at, Place: place, Version: shift.Version, ShiftAt: shift.At, Cause: shift.Cause}
	fresh := in
	fresh.Claims, fresh.Now = then, at
	var d Decider
	if d.Decide(fresh).Set.Hash == shift.Hash {
		in, e.Reproduced = fresh, true
	} else {
		e.Pending = true
		e.Reproduced = d.Decide(in).Set.Hash == shift.Hash
	}
	_, e.Why = d.DecidePlace(in, place.Scene, place.Point, place.Bucket)
	if o := Lookup(&shift.Set, place.Scene, place.Point, place.Bucket); o != nil {
		c := *o
		e.Order = &c
	}
	return e, nil
}

// InputOf gives back the Input that a journalled shift was decided on.
func InputOf(ctx context.Context, s *Shift, templates template.Store) (Input, error) {
	b := &s.Basis
	in := Input{
		App: s.App, IDC: s.IDC, Points: b.Points, Scenes: b.Scenes, Bindings: b.Bindings, Claims: b.Claims, Now: b.Now,
		Versions: map[string]map[int]*template.Version{}, Names: map[string]string{},
	}
	for _, ref := range b.Versions {
		v, err := templates.GetVersion(ctx, ref.TemplateID, ref.Number)
		if err != nil {
			return in, fmt.Errorf("version %d of template %s, which the journal names: %w", ref.Number, gear.Shown(ref.TemplateID), err)
		}
		in.addVersion(ref.TemplateID, v, ref.Latest)
		if ref.Name != "" {
			in.Names[ref.TemplateID] = ref.Name
		}
	}
	return in, nil
}

func (in *Input) addVersion(id string, v *template.Version, latest bool) {
	m := in.Versions[id]
	if m == nil {
		m = map[int]*template.Version{}
		in.Versions[id] = m
	}
	if latest {
		m[0] = v
	} else {
		m[v.Number] = v
	}
}

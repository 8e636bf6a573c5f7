package profile

import (
	"context"
	"slices"

	"github.com/allspark/allspark/server/allocation"
)

// standIn gives the profile that speaks for a key of which nothing was learnt yet:
// the one a table would be built from today. nil without any.
func (k *Keeper) standIn(ctx context.Context, key Key) (*Profile, error) {
	all, err := All(ctx, k.cfg.Store, Filter{App: key.App, Point: key.Point})
	if err != nil {
		return nil, err
	}
	return Best(all, key.App, key.Point, key.Scene, key.Table, k.cfg.Now()), nil
}

// fitted makes a prior for this series of what another profile knows: its levels
// by their place in the table, and its classes by name. An edit of a template makes
// another table, whose lowest level still is the cheapest: that says more of levels
// nobody ran at than a line through the few that were seen.
func (s *series) fitted(p *Profile, k Key) *Profile {
	q := &Profile{Key: k, Source: Learned, MeasuredAt: p.MeasuredAt, Classes: slices.Clone(p.Classes), Levels: make([]Level, s.levels)}
	if len(p.Classes) == 1 && !slices.Contains(s.classes, p.Classes[0].Name) { // one for all: it stands for each
		q.Classes = s.seen()
	}
	for l := range q.Levels {
		at := float64(len(p.Levels) - 1)
		if s.levels > 1 {
			at *= float64(l) / float64(s.levels-1)
		}
		low := int(at)
		v := p.Levels[low]
		if low+1 < len(p.Levels) {
			v = lerp(&p.Levels[low], &p.Levels[low+1], at-float64(low))
		}
		v.Cap, v.Samples = v.cap(), 0
		if len(q.Classes) > len(v.RT) {
			v.RT = slices.Repeat(v.RT[:1], len(q.Classes))
		}
		q.Levels[l] = v
	}
	if k.Table != p.Table && (p.Table != "" || len(p.Levels) != s.levels) { // "": its uploader meant this one
		s.recap(q)
	}
	return q
}

// recap moves the caps of another table's levels to what this one's were seen to
// take: a cap is a count out of the table, and it only ever rises afterwards.
func (s *series) recap(q *Profile) {
	most := make([]float64, len(q.Levels))
	for k, x := range s.cells {
		if x.worked > 0 {
			most[k.level-1] = max(most[k.level-1], x.takenMax, x.taken/x.worked)
		}
	}
	logs := unknown(len(q.Levels))
	for l := range logs {
		logs[l] = logRatio(most[l], q.Levels[l].Cap)
	}
	spread(logs)
	for l := range q.Levels {
		q.Levels[l].Cap = moveBy(q.Levels[l].Cap, logs[l])
		if l > 0 {
			q.Levels[l].Cap = max(q.Levels[l].Cap, q.Levels[l-1].Cap)
		}
	}
}

// lerp is the level between two whose distributions may be given at other quantiles.
func lerp(a, b *Level, x float64) Level {
	if x == 0 {
		return *a
	}
	near, far := a, b
	if x > 0.5 {
		near, far = b, a
	}
	v := Level{
		Work: a.Work + (b.Work-a.Work)*x, Effect: a.Effect + (b.Effect-a.Effect)*x,
		Output: a.Output + (b.Output-a.Output)*x, Cap: a.cap() + (b.cap()-a.cap())*x,
	}
	for c := range near.RT {
		own, other := allocation.FromQuantiles(near.RT[c]).Mean(), allocation.FromQuantiles(far.RT[c]).Mean()
		by := 1.0
		if own > 0 {
			by = 1 + (other-own)/own*min(x, 1-x)
		}
		v.RT = append(v.RT, times(near.RT[c], by))
	}
	return v
}

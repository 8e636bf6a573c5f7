package planner

import (
	"context"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/plan"
)

// Preview is what an app x IDC will do from an instant on.
type Preview struct {
	At       time.Time
	App, IDC string
	Agents   []string // that will be told, by name
	Set      gear.OrderSet
	Tables   []gear.LevelTable
	Changes  []OrderChange // against now
	Steps    []string
}

// OrderChange is one order that differs.
type OrderChange struct {
	Scene, Point, Bucket string
	Before, After        *gear.Order
}

// DryRun works out what a plan would do, saved or not, by the rule and from the
// places of the real push: the next occurrence, every start and end.
func (s *Service) DryRun(ctx context.Context, p *plan.Plan) ([]Preview, error) {
	n := *p
	n.Steps = slices.Clone(p.Steps)
	for i := range n.Steps {
		n.Steps[i].Sets = slices.Clone(n.Steps[i].Sets)
	}
	if err := s.resolve(ctx, &n); err != nil {
		return nil, err
	}
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	next, ok := plan.Next([]*plan.Plan{&n}, now)
	if !ok {
		return nil, nil
	}
	os, err := n.Occurrences(next.Start, next.Start.Add(1))
	if err != nil {
		return nil, err
	}
	var hs []hold
	for i := range os {
		for _, in := range os[i].Steps {
			if in.Occurrence == next.Occurrence && !in.Step.Do.Terminal() {
				hs = append(hs, hold{in: in, epoch: n.Epoch, start: in.Start, end: in.End, claims: plan.Claims(&in, actor)})
			}
		}
	}
	lines, err := foresee(ctx, s.cfg.Foreseer, hs, now)
	if err != nil {
		return nil, err
	}
	base, err := s.cfg.Foreseer.At(ctx, now, nil, nil)
	if err != nil {
		return nil, err
	}
	places, _ := s.places(&n, now)
	out := []Preview{}
	for _, k := range sortedKeys(lines) {
		var before gear.OrderSet
		for i := range base {
			if base[i].Set.App == k.App && base[i].Set.IDC == k.IDC {
				before = base[i].Set
			}
		}
		names := []string{}
		for _, a := range places[k] {
			names = append(names, a.Instance)
		}
		slices.Sort(names)
		for i := range lines[k].staged.Entries {
			e := &lines[k].staged.Entries[i]
			v := Preview{At: e.At, App: k.App, IDC: k.IDC, Agents: names, Set: e.Set, Tables: lines[k].tables, Changes: changes(&before, &e.Set)}
			for _, x := range e.Steps {
				verb := " starts"
				if x.Ends {
					verb = " ends"
				}
				v.Steps = append(v.Steps, x.Step+verb)
			}
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b Preview) int { return a.At.Compare(b.At) })
	return out, nil
}

func changes(before, after *gear.OrderSet) []OrderChange {
	type place struct{ scene, point, bucket string }
	index := func(s *gear.OrderSet) map[place]*gear.Order {
		m := map[place]*gear.Order{}
		for i := range s.Orders {
			o := &s.Orders[i]
			m[place{o.Scene, o.Point, o.Bucket}] = o
		}
		return m
	}
	was, will := index(before), index(after)
	out := []OrderChange{}
	for i := range after.Orders {
		o := &after.Orders[i]
		k := place{o.Scene, o.Point, o.Bucket}
		b := was[k]
		if b == nil {
			b = control.Lookup(before, k.scene, k.point, k.bucket)
		}
		if b == nil || b.Level != o.Level || b.Table != o.Table || b.Strategy != o.Strategy || b.AvailableRT != o.AvailableRT ||
			b.Timeout != o.Timeout || b.Pinned != o.Pinned || !slices.Equal(b.Settings, o.Settings) {
			out = append(out, OrderChange{k.scene, k.point, k.bucket, b, o})
		}
	}
	for i := range before.Orders {
		o := &before.Orders[i]
		k := place{o.Scene, o.Point, o.Bucket}
		if will[k] == nil {
			if after := control.Lookup(after, k.scene, k.point, k.bucket); after == nil || after.Level != o.Level || after.Table != o.Table {
				out = append(out, OrderChange{k.scene, k.point, k.bucket, o, after})
			}
		}
	}
	return out
}

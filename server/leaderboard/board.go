package leaderboard

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/telemetry"
)

// History is where samples come from.
type History interface {
	Each(ctx context.Context, f telemetry.Filter, wanted func(Key) bool, from, to time.Time, step time.Duration) iter.Seq2[telemetry.Series, error]
}

// Claims is where overrides are found.
type Claims interface {
	ListClaims(ctx context.Context, f control.ClaimFilter) (items []*control.Claim, next string, err error)
}

// Board ranks over history and what is measured now.
type Board struct {
	History History
	Claims  Claims
}

// Query says what to rank.
type Query struct {
	Span   Span
	Filter telemetry.Filter
	Group  Group
	Sort   Sort
	// Sees tells which apps and IDCs may be shown.
	Sees func(app, idc string) bool
	// Bounds gives the range of levels that is ordered now; zeros where none is.
	Bounds func(k Key) Bounds
	// Live ranks by the levels of the last seconds; nil ranks over the stretch.
	Live []telemetry.Point
}

const (
	// byMinute is the longest stretch that is read by minutes: beyond it hours say
	// enough and a sixtieth is read.
	byMinute = 48 * time.Hour
	// longest is a stretch's bound, a quarter of a year.
	longest = 92 * 24 * time.Hour
)

// Step is the distance of samples that a stretch is read by.
func Step(s Span) time.Duration {
	if s.To.Sub(s.From) > byMinute {
		return time.Hour
	}
	return time.Minute
}

// Rank answers a query; rows are in order. A long stretch of many series is more
// than memory should hold: of each only its figures stay.
func (b Board) Rank(ctx context.Context, q Query) ([]Row, error) {
	width := q.Span.To.Sub(q.Span.From)
	if width < time.Minute || width > longest {
		return nil, fault.New(fault.Invalid, "the stretch wants between a minute and 92 days, got %v", width)
	}
	step := Step(q.Span)
	earlier := q.Span.From.Add(-width)
	claims, err := b.manual(ctx, earlier, q.Span.To)
	if err != nil {
		return nil, err
	}
	live := q.live()
	wanted := func(k Key) bool {
		_, sends := live[k]
		return q.Sees(k.App, k.IDC) && (q.Live == nil || sends)
	}
	ranking := NewRanking(q.Span, step, q.Group, q.Live != nil)
	add := func(k Key, samples []telemetry.Timed) {
		at := slices.IndexFunc(samples, func(x telemetry.Timed) bool { return !x.At.Before(q.Span.From) })
		if at < 0 {
			at = len(samples)
		}
		t := Track{Key: k, Bounds: q.Bounds(k), Manual: held(claims, k, Span{earlier, q.Span.To}), Before: samples[:at], Now: samples[at:]}
		if l := live[k]; l != nil {
			t.Live, t.LiveLoad = l.LevelMean, l.Count
		}
		ranking.Add(&t)
	}
	for s, err := range b.History.Each(ctx, q.Filter, wanted, earlier, q.Span.To, step) {
		if err != nil {
			return nil, err
		}
		add(s.Key, s.Samples)
		delete(live, s.Key)
	}
	for _, k := range slices.SortedFunc(maps.Keys(live), telemetry.CompareKeys) { // what has no past yet
		add(k, nil)
	}
	return ranking.Rows(q.Sort), nil
}

// live gives what was measured in the last seconds of what sent something.
func (q *Query) live() map[Key]*telemetry.Rollup {
	out := map[Key]*telemetry.Rollup{}
	for i := range q.Live {
		l := &q.Live[i]
		if l.Recent != nil && l.Recent.Count > 0 && q.Sees(l.App, l.IDC) && matches(q.Filter, l.Key) {
			out[l.Key] = l.Recent
		}
	}
	return out
}

func matches(f telemetry.Filter, k Key) bool {
	return (f.Scene == "" || f.Scene == k.Scene) && (f.IDC == "" || f.IDC == k.IDC) && (f.App == "" || f.App == k.App) && (f.Point == "" || f.Point == k.Point)
}

// manual gives the claims that held something by hand within [from, to).
func (b Board) manual(ctx context.Context, from, to time.Time) (out []*control.Claim, err error) {
	f := control.ClaimFilter{Source: control.SourceManual, From: from, To: to, Limit: 500}
	for {
		items, next, err := b.Claims.ListClaims(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, c := range items {
			switch c.Field {
			case control.FieldLevel, control.FieldStrategy, control.FieldAvailableRT, control.FieldTimeout:
				out = append(out, c)
			}
		}
		if next == "" {
			return out, nil
		}
		f.After = next
	}
}

// held gives when some claim held a point by hand, merged.
func held(claims []*control.Claim, k Key, within Span) []Span {
	place := control.Scope{Scene: k.Scene, IDC: k.IDC, App: k.App, Point: k.Point, Bucket: gear.Any}
	var out []Span
	for _, c := range claims {
		if !c.Scope.Matches(place) {
			continue
		}
		s := Span{c.Start, within.To}
		for _, end := range []time.Time{c.End, c.Released} {
			if !end.IsZero() && end.Before(s.To) {
				s.To = end
			}
		}
		if s.From.Before(within.From) {
			s.From = within.From
		}
		if s.From.Before(s.To) {
			out = append(out, s)
		}
	}
	return merge(out)
}

func merge(in []Span) []Span {
	slices.SortFunc(in, func(a, b Span) int { return cmp.Compare(a.From.UnixNano(), b.From.UnixNano()) })
	out := in[:0]
	for _, s := range in {
		if n := len(out); n > 0 && !s.From.After(out[n-1].To) {
			if s.To.After(out[n-1].To) {
				out[n-1].To = s.To
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

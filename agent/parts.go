package agent

import (
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

const (
	// maxReport bounds a report on the wire, in bytes, whatever is in it: controllers
	// end the stream of who sends a larger frame than they read.
	maxReport = wire.MaxInbound / 2
	// seriesBytes is what a series takes beside its sketch and names, callBytes what
	// a kind of call does.
	seriesBytes = 96
	callBytes   = 40
	// reportsAtOnce is how many reports may follow each other for what is not
	// urgent: what is left goes with the next ones. Half of what the link keeps.
	reportsAtOnce = 4
	// keepLeft bounds what waits of a kind; the oldest is dropped.
	keepLeft = 4 * wire.MaxLevels
)

// leftovers are what no report had room for yet. Points are never among them: they
// are of the second that the report is of.
type leftovers struct {
	calls   []gear.CallReport
	levels  []gear.LevelReport
	buckets []gear.BucketReport
}

func (l *leftovers) add(calls []gear.CallReport, levels []gear.LevelReport) {
	l.calls, l.levels = keepNewest(append(l.calls, calls...)), keepNewest(append(l.levels, levels...))
}

func (l *leftovers) waiting() bool { return len(l.calls)+len(l.levels)+len(l.buckets) > 0 }

func keepNewest[T any](all []T) []T { return all[max(len(all)-keepLeft, 0):] }

// fill takes as much into a report as fits: points first, then what can wait. It
// gives the points that are left.
func (l *leftovers) fill(r *gear.Report, points []gear.PointReport) []gear.PointReport {
	room := maxReport
	r.Points, points = part(points, &room, wire.MaxSeries, pointBytes)
	if len(points) > 0 {
		return points
	}
	r.Calls, l.calls = part(l.calls, &room, wire.MaxCalls, func(c *gear.CallReport) int {
		return len(c.Scene) + len(c.Point) + len(c.Caller) + len(c.After) + callBytes
	})
	r.Levels, l.levels = part(l.levels, &room, wire.MaxLevels, func(x *gear.LevelReport) int {
		return len(x.RT) + len(x.Scene) + len(x.Point) + len(x.Table) + seriesBytes
	})
	r.Buckets, l.buckets = part(l.buckets, &room, maxBuckets, func(x *gear.BucketReport) int {
		return pointBytes(&x.PointReport) + len(x.Bucket) + gear.Blocks*blockBytes
	})
	return nil
}

func pointBytes(p *gear.PointReport) int {
	size := len(p.RT) + len(p.Scene) + len(p.Point) + seriesBytes
	for k := range p.Crowds {
		size += len(p.Crowds[k].Reason) + seriesBytes
	}
	return size
}

// part takes the first elements that fit into the room that is left, and of an
// empty report at least one.
func part[T any](all []T, room *int, most int, size func(*T) int) (taken, rest []T) {
	for i := range all {
		n := size(&all[i])
		if i == most || n > *room && *room < maxReport {
			return all[:i:i], all[i:]
		}
		*room -= n
	}
	return all, nil
}

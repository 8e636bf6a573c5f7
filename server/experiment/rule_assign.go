package experiment

import (
	"fmt"

	"github.com/allspark/allspark/proto/gear"
)

// Range is an arm's slices, Low included, High excluded.
type Range struct{ Low, High int }

// Bucket is the name of a range in claims and orders.
func (r Range) Bucket() string { return fmt.Sprintf("%d-%d", r.Low, r.High) }

// Width is the number of slices.
func (r Range) Width() int { return r.High - r.Low }

// BlockWidth is how many slices fall into block k of the range: agents put slice s
// into block (s-Low)·Blocks/Width, so blocks differ by at most one slice.
func (r Range) BlockWidth(k int) int {
	edge := func(k int) int { return (k*r.Width() + gear.Blocks - 1) / gear.Blocks }
	return edge(k+1) - edge(k)
}

// Ranges gives each arm its slices: neighbours, in order, from 0.
func Ranges(arms []Arm) []Range {
	out := make([]Range, len(arms))
	at := 0
	for i := range arms {
		out[i] = Range{at, at + arms[i].Slices}
		at += arms[i].Slices
	}
	return out
}

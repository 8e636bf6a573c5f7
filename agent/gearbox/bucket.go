package gearbox

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/allspark/allspark/agent/meter"
	"github.com/allspark/allspark/proto/gear"
)

// Slices is how finely traffic is divided: a bucket takes hundredths of a percent.
const Slices = gear.Slices

// Buckets divides the requests of one point and scene by their key.
type Buckets struct {
	spans []span
	rest  *Rule
}

// span is one bucket: its rule, once for each block of its users.
type span struct {
	lo, hi uint32
	rules  [gear.Blocks]*Rule
}

// divide makes the span of a rule. Requests of each block carry a code of their
// own, so that the meter tells blocks apart at no cost to other requests.
func divide(lo, hi uint32, r *Rule, bucket string, cell *meter.Cell) span {
	s := span{lo: lo, hi: hi}
	arm := cell.Arm(bucket)
	for block := range s.rules {
		mine := *r
		code := func(row *Row) *Row {
			out := *row
			out.Level = meter.Armed(out.Level, arm, block)
			return &out
		}
		if r.Crowds == nil {
			mine.Row = code(r.Row)
		} else {
			mine.HeldOut, mine.Rows = code(r.HeldOut), slices.Clone(r.Rows)
			for i := range mine.Rows {
				mine.Rows[i] = *code(&r.Rows[i])
			}
		}
		s.rules[block] = &mine
	}
	return s
}

// Pick finds the rule of a key.
func (b *Buckets) Pick(key string) *Rule {
	s := Slice(key)
	for i := range b.spans {
		if x := &b.spans[i]; s >= x.lo && s < x.hi {
			return x.rules[(s-x.lo)*gear.Blocks/(x.hi-x.lo)]
		}
	}
	return b.rest
}

// ParseBucket reads "lo-hi": the slices lo (included) to hi (excluded) of 10,000.
func ParseBucket(s string) (lo, hi uint32, ok bool) {
	a, b, found := strings.Cut(s, "-")
	if !found {
		return 0, 0, false
	}
	l, err1 := strconv.ParseUint(a, 10, 16)
	h, err2 := strconv.ParseUint(b, 10, 16)
	if err1 != nil || err2 != nil || l >= h || h > Slices {
		return 0, 0, false
	}
	return uint32(l), uint32(h), true
}

// Slice gives the slice of a key, 0..9999. It is the same in every process, so
// that a user meets one bucket on all machines.
func Slice(key string) uint32 {
	hi, _ := bits.Mul64(hash(key), Slices)
	return uint32(hi)
}

// hash mixes eight bytes at a time with two odd constants (the fractional parts
// of the golden ratio and of e), folding 128-bit products.
func hash(s string) uint64 {
	const k1, k2 = 0x9e3779b97f4a7c15, 0xb7e151628aed2a6b
	h := uint64(len(s)) ^ k1
	for len(s) >= 8 {
		w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		h = fold(h^w, k1)
		s = s[8:]
	}
	var w uint64
	for i := len(s) - 1; i >= 0; i-- {
		w = w<<8 | uint64(s[i])
	}
	return fold(fold(h^w, k1)^k2, k2)
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

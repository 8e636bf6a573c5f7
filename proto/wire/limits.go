package wire

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/allspark/allspark/proto/gear"
)

// Limits of what one message may hold. They bound memory, not taste: each is an
// order of magnitude above what an engine of thousands of machines was seen to need.
const (
	MaxName     = 256       // bytes of a name, hash or address
	MaxText     = 4096      // bytes of a string value or a message for people
	MaxPoints   = 1024      // points of an app
	MaxParams   = 256       // parameters of a point, columns of a table
	MaxEnum     = 256       // values of an enum
	MaxRows     = 1000      // levels of a table
	MaxOrders   = 10_000    // entries of an order set
	MaxTables   = 4096      // tables in a frame, hashes in a hello
	MaxSettings = 64        // settings of an order
	MaxProblems = 64        // problems in an ack; the rest is cut off
	MaxSeries   = 4096      // (scene, point) pairs in a report
	MaxCalls    = 4096      // kinds of call in a report
	MaxLevels   = 4096      // (scene, point, level, class) in a report
	MaxBuckets  = 1024      // (scene, point, bucket) in a report
	MaxCrowds   = 64        // crowds of a point
	MaxSketch   = 16 << 10  // bytes of an RT sketch
	MaxInbound  = 256 << 10 // bytes of a frame from an agent
	MaxWindow   = time.Hour // length of a report's window
	MaxVersion  = 1 << 53   // epoch or revision: what every JSON reader can count to, and nobody reaches
)

// Codes of the Problems found here.
const (
	codeSize   = "size"
	codeFinite = "finite"
	codeRange  = "range"
)

// checker gathers what is wrong, bounded so that a hostile message cannot make
// an answer larger than itself.
type checker struct{ problems gear.Problems }

func (c *checker) add(path, code, format string, args ...any) {
	if len(c.problems) < MaxProblems {
		c.problems = append(c.problems, gear.Problem{Path: path, Code: code, Message: fmt.Sprintf(format, args...)})
	}
}

// size reports whether n is within limit.
func (c *checker) size(path string, n, limit int, what string) bool {
	if n <= limit {
		return true
	}
	c.add(path, codeSize, "%s has %d %s, more than %d", last(path), n, what, limit)
	return false
}

func (c *checker) name(path, s string) string {
	if !c.size(path, len(s), MaxName, "bytes") {
		return ""
	}
	return s
}

func (c *checker) text(path, s string) string {
	if !c.size(path, len(s), MaxText, "bytes") {
		return ""
	}
	return s
}

func (c *checker) finite(path string, f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		c.add(path, codeFinite, "%s wants a finite number, got %v", last(path), f)
		return 0
	}
	return f
}

func (c *checker) count(path string, n int64) int64 {
	if n < 0 {
		c.add(path, codeRange, "%s wants a number from 0, got %d", last(path), n)
		return 0
	}
	return n
}

func (c *checker) upTo(path string, n, limit int64) int64 {
	if n > limit {
		c.add(path, codeRange, "%s wants a number up to %d, got %d", last(path), limit, n)
		return 0
	}
	return c.count(path, n)
}

func (c *checker) micros(path string, us int64) time.Duration {
	if us < 0 || us > math.MaxInt64/int64(time.Microsecond) {
		c.add(path, codeRange, "%s wants a duration from 0, got %d us", last(path), us)
		return 0
	}
	return time.Duration(us) * time.Microsecond
}

// last is the name a message calls its place by: a.b[2].c -> c.
func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

func at(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

func cleanAll(in []string) []string {
	if len(in) == 0 {
		return nil
	}
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = clean(s)
	}
	return out
}

func small(n int) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func unix(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

package loop

import "sort"

// Mix is a crowd's work as levels: Level for most requests, the one above it for
// the share Up of them, so that the mean work is the crowd's.
type Mix struct {
	Level int
	Up    float64 // 0 <= Up < 1
}

// LevelsOf finds the highest level in [lo, hi] whose work is at most g, and the
// share of requests that must run one higher for the mean to be g. work is by
// level, 1 first, and never falls.
func LevelsOf(work []float64, g float64, lo, hi int) Mix {
	lo, hi = max(lo, 1), min(hi, len(work))
	l := lo + sort.Search(max(hi-lo, 0), func(i int) bool { return work[lo+i] > g }) // work[lo+i] is level lo+i+1
	if l >= hi || g <= work[l-1] {
		return Mix{Level: min(l, hi)}
	}
	return Mix{Level: l, Up: (g - work[l-1]) / (work[l] - work[l-1])}
}

// Pick gives the level of one request, by a random word of its own: a request
// that is retried, or seen by two machines, is dithered the same way.
func (m Mix) Pick(word uint64) int {
	if m.Up > 0 && float64(word>>11)/(1<<53) < m.Up {
		return m.Level + 1
	}
	return m.Level
}

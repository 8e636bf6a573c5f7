package plan

import (
	"fmt"
	"time"
)

// Layouts of local instants, seconds optional.
const (
	wallLayout  = "2006-01-02 15:04:05"
	wallMinutes = "2006-01-02 15:04"
)

// Codes of local times that are no instant.
const (
	CodeGap     = "dst_gap"     // clocks go forward over it
	CodeOverlap = "dst_overlap" // clocks go back over it: it exists twice
)

// ParseWall reads a local date and 24-hour time as a wall clock shows it; the
// result carries the figures in UTC and is no instant yet.
func ParseWall(s string) (time.Time, bool) {
	for _, layout := range []string{wallLayout, wallMinutes} {
		if t, err := time.Parse(layout, s); err == nil && t.Format(layout) == s {
			return t, true
		}
	}
	return time.Time{}, false
}

// Instants gives every instant at which a clock in the zone shows the wall time:
// one as a rule, two where clocks go back over it, none where they go forward
// over it. Near then holds the instants that may have been meant, the earlier
// first.
func Instants(wall time.Time, zone *time.Location) (exact, near []time.Time) {
	figures := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), 0, time.UTC)
	_, before := figures.Add(-24 * time.Hour).In(zone).Zone()
	_, after := figures.Add(24 * time.Hour).In(zone).Zone()
	for i, offset := range []int{max(before, after), min(before, after)} {
		if i == 1 && before == after {
			break
		}
		t := figures.Add(-time.Duration(offset) * time.Second)
		near = append(near, t)
		if WallOf(t, zone).Equal(figures) {
			exact = append(exact, t)
		}
	}
	return exact, near
}

// WallOf gives the figures a clock in the zone shows, carried in UTC.
func WallOf(t time.Time, zone *time.Location) time.Time {
	l := t.In(zone)
	return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), l.Second(), l.Nanosecond(), time.UTC)
}

// Resolve turns a wall time into an instant; with a code it has none, and the
// message words the choices.
func Resolve(wall time.Time, zone *time.Location, which Overlap) (t time.Time, code, message string) {
	exact, near := Instants(wall, zone)
	say := func(t time.Time) string { return t.In(zone).Format("15:04:05 MST (-07:00)") }
	switch {
	case len(exact) == 1:
		return exact[0].UTC(), "", ""
	case len(exact) == 0:
		return t, CodeGap, fmt.Sprintf("%s does not exist in %s: clocks go forward over it; did you mean %s or %s",
			wall.Format(wallLayout), zone, say(near[0]), say(near[len(near)-1]))
	case which == Earlier:
		return exact[0].UTC(), "", ""
	case which == Later:
		return exact[1].UTC(), "", ""
	}
	return t, CodeOverlap, fmt.Sprintf("%s exists twice in %s: say overlap earlier for %s or later for %s",
		wall.Format(wallLayout), zone, say(exact[0]), say(exact[1]))
}

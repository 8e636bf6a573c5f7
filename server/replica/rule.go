package replica

import "time"

const (
	// Every is the time between turns.
	Every = time.Second
	// BeatTTL is how long a silent replica counts: five turns, so that one slow
	// statement loses nobody.
	BeatTTL = 5 * time.Second
	// turnBudget is how long a turn's statements may take together.
	turnBudget = 3 * time.Second
	// ForgetAfter is when the rows of a replica that does not come back are dropped.
	ForgetAfter = time.Hour
)

// alive is the rule for peers at reference time now.
func alive(beat, now time.Time) bool { return now.Sub(beat) <= BeatTTL }

const (
	// clashMany accounts that end within clashSpan are no crash of the database: two
	// controllers have one name. Each begins a new account as soon as it finds the
	// other's, so that neither ever loses several turns in a row.
	clashMany = 3
	clashSpan = 30 * time.Second
)

// clashes counts accounts that somebody else ended.
type clashes struct {
	n     int
	since time.Time
}

// add counts one, and tells once in clashSpan that there were too many.
func (c *clashes) add(now time.Time) (many bool) {
	if now.Sub(c.since) > clashSpan {
		*c = clashes{since: now}
	}
	c.n++
	return c.n == clashMany
}

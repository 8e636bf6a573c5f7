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

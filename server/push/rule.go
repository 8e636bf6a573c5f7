package push

import "time"

// stalled is the rule for cutting: something newer than the agent's last answer
// has been due since waiting, and no answer moved that mark for limit.
func stalled(waiting, now time.Time, limit time.Duration) bool {
	return !waiting.IsZero() && now.Sub(waiting) >= limit
}

// reached reports whether held of expected is at least share percent; an empty
// fleet has reached nothing.
func reached(held, expected, percent int) bool {
	return expected > 0 && held*100 >= expected*percent
}

package feedback

import (
	"fmt"
	"time"
)

// GearSettings say when the RT gear of a scene moves.
type GearSettings struct {
	Down, Up int // windows of saturation or of margin, in a row
}

// DefaultGear: two windows of a minute say that feedback is at its end; six, three
// minutes, that the trouble is over. A gear that goes up too early comes down at
// once, and the front end sees both.
var DefaultGear = GearSettings{Down: 2, Up: 6}

// GearState is what the RT gear remembers. Step 1 is the scene's own target.
type GearState struct {
	Step      int
	bad, good int
}

// AtStep gives the state of a gear that was found at a step.
func AtStep(step int) GearState { return GearState{Step: max(step, 1)} }

// StepGear is the rule of figure 10: the gear goes down a step on the ladder of
// effective targets when layer feedback is saturated, and up with margin. target
// tells each step's effective target, for the sentence.
func StepGear(s GearState, l LayerState, steps int, target func(step int) time.Duration, set GearSettings) (GearState, string) {
	s.Step = min(max(s.Step, 1), max(steps, 1))
	switch {
	case l.Saturated:
		s.bad, s.good = s.bad+1, 0
	case l.Margin:
		s.bad, s.good = 0, s.good+1
	default:
		s.bad, s.good = 0, 0
	}
	switch {
	case s.bad >= max(set.Down, 1) && s.Step < steps:
		n := s.bad
		s = GearState{Step: s.Step + 1}
		return s, fmt.Sprintf("feedback was saturated for %d windows: RT gear down to step %d, %s", n, s.Step, target(s.Step))
	case s.bad >= max(set.Down, 1):
		return s, fmt.Sprintf("feedback is saturated, and the RT gear is at its last step, %d", s.Step)
	case s.good >= max(set.Up, 1) && s.Step > 1:
		n := s.good
		s = GearState{Step: s.Step - 1}
		return s, fmt.Sprintf("there was margin for %d windows: RT gear up to step %d, %s", n, s.Step, target(s.Step))
	}
	return s, ""
}

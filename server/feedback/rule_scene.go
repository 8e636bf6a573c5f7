package feedback

import (
	"fmt"
	"math"
	"time"
)

// Phase is where a scene stands between a change of its target and steady
// regulation.
type Phase string

// The phases.
const (
	PhaseIdle     Phase = ""         // nothing was decided yet
	PhasePreset   Phase = "preset"   // a row was applied and is held
	PhaseFeedback Phase = "feedback" // layer by layer
)

// SceneSettings bound how a scene is regulated.
type SceneSettings struct {
	Preset bool          // look rows up on a new target; false: feedback alone
	Hold   time.Duration // T: a preset's life
	Settle time.Duration // after a change until measurements count: publishing, and a full second everywhere
	Fast   time.Duration // between two downward corrections while a preset is held
	Layer  LayerSettings // of the front end; calls take the same without a target
	Gear   GearSettings
	Learn  float64 // how far a scale learnt under the last target may bias the next preset, as a ratio
}

// DefaultScene: a scale learnt under one target says little of another (on the sample
// engine a row of 300 ms was 35 % short and the row of 160 ms 5 % long), so none is
// carried over. T is the 20 s of the seed, at least publish latency and two crowd
// intervals.
var DefaultScene = SceneSettings{
	Preset: true, Hold: 20 * time.Second, Settle: 3 * time.Second, Fast: 4 * time.Second,
	Layer: DefaultLayer, Gear: DefaultGear, Learn: 1,
}

// SceneSample is what was measured of a scene in one IDC since the last change has
// settled, and what is wished of it now.
type SceneSample struct {
	Target time.Duration                // resolved from claims, else the scene's own
	Ladder func(step int) time.Duration // effective target of a step, 1 is Target
	Steps  int
	Front  LayerSample   // Target is filled in by the rule
	Calls  []LayerSample // by layer; [0] is not used
	First  float64       // the shortest index the table has a row for, ms; 0 without a table
	Last   float64       // the longest index that still changes something
}

// SceneState is all that regulation of a scene in one IDC remembers.
type SceneState struct {
	Target    time.Duration // acted on
	Effective time.Duration // Target, or the step of the RT gear
	Gear      GearState
	Front     LayerState
	Calls     []LayerState // by layer; [0] is not used
	Phase     Phase
	Since     time.Time // of the phase
	Until     time.Time // end of the preset
	Changed   time.Time // when shares were last changed
	Judged    time.Time // when feedback last judged
	Index     float64   // ms: where the table is looked up
	Reason    string    // of the last decision
}

// Action is what must be done after a step.
type Action uint8

// The actions.
const (
	Nothing  Action = iota
	Apply           // a preset: write the shares of Index as preset until Until
	Correct         // feedback: write the shares of Index as feedback
	HandOver        // as Correct, now that a preset runs out
)

// Scales gives the scale of each layer, for Preset.
func (s *SceneState) Scales() []float64 {
	out := make([]float64, len(s.Calls))
	for i := range s.Calls {
		out[i] = s.Calls[i].Scale()
	}
	return out
}

// StepScene decides what a scene's points get next. It is called about once a
// second.
//
//	idle ── table or target ──> preset ── T over ──> feedback
//	               ^                                    │
//	               └── new target, or the gear moves ───┘
//
// While a preset is held only downward corrections are made; what was measured
// meanwhile is applied once when it is handed over, so that nothing jumps.
func StepScene(s SceneState, in SceneSample, set SceneSettings, now time.Time) (SceneState, Action) {
	for len(s.Calls) < len(in.Calls) {
		s.Calls = append(s.Calls[:len(s.Calls):len(s.Calls)], LayerState{})
	}
	s.Calls = append([]LayerState(nil), s.Calls[:len(in.Calls)]...) // the caller keeps its own
	s.Gear.Step = min(max(s.Gear.Step, 1), max(in.Steps, 1))
	if in.Target != s.Target {
		return s.retarget(in, set, now)
	}
	if effective := in.Ladder(s.Gear.Step); effective != s.Effective { // the ladder was edited
		return s.move(in, set, now, fmt.Sprintf("the ladder changed: step %d is %s", s.Gear.Step, effective))
	}
	switch s.Phase {
	case PhasePreset:
		return s.hold(in, set, now)
	case PhaseFeedback:
		return s.regulate(in, set, now)
	}
	return s, Nothing
}

// retarget begins with a new target.
func (s SceneState) retarget(in SceneSample, set SceneSettings, now time.Time) (SceneState, Action) {
	from := s.Target
	s.Target, s.Gear = in.Target, AtStep(1)
	said := fmt.Sprintf("target %s", in.Target)
	if from > 0 {
		said = fmt.Sprintf("target %s to %s", from, in.Target)
	}
	return s.move(in, set, now, said)
}

// move goes to the effective target of the gear's step.
func (s SceneState) move(in SceneSample, set SceneSettings, now time.Time, said string) (SceneState, Action) {
	from := s.Effective
	s.Effective = in.Ladder(s.Gear.Step)
	s.Front.Saturated, s.Front.Margin = false, false
	if !set.Preset {
		if from > 0 && s.Index > 0 {
			// The scale is what is regulated: the same shares under the new target.
			s.Front = Scaled(s.Index / millis(s.Effective))
			s.Phase, s.Since, s.Judged, s.Reason = PhaseFeedback, now, now, said+": feedback alone"
			return s, Nothing
		}
		s.Index = millis(s.Effective)
		s.Phase, s.Since, s.Judged, s.Changed, s.Reason = PhaseFeedback, now, now, now, said+": feedback alone"
		return s, Correct
	}
	learn := max(set.Learn, 1)
	s.Front = Scaled(min(max(s.Front.Scale(), 1/learn), learn))
	s.look(in)
	s.Phase, s.Since, s.Changed, s.Judged, s.Until = PhasePreset, now, now, now, now.Add(set.Hold)
	s.Reason = fmt.Sprintf("%s: preset of %.0f ms for %s", said, s.Index, set.Hold)
	if in.First > 0 && millis(s.Effective) < in.First {
		s.Reason += fmt.Sprintf("; the table begins at %.0f ms", in.First)
	}
	return s, Apply
}

// look turns effective target and scale into an index within the table, and keeps
// the scale from running away beyond it.
func (s *SceneState) look(in SceneSample) {
	t := millis(s.Effective)
	s.Index = t * s.Front.Scale()
	if in.Last > 0 && s.Index > in.Last && in.Last < t*s.Front.Scale() {
		s.Index = max(in.Last, min(t, s.Index))
	}
	if in.First > 0 {
		s.Index = max(s.Index, in.First)
	}
	if t > 0 && s.Front.lnScale != 0 {
		s.Front = LayerState{lnScale: math.Log(s.Index / t), Saturated: s.Front.Saturated, Margin: s.Front.Margin}
	}
}

// hold watches a preset: down at once where it is too high, up not before its end.
func (s SceneState) hold(in SceneSample, set SceneSettings, now time.Time) (SceneState, Action) {
	front := in.Front
	front.Target = millis(s.Effective)
	known := front.Count >= max(set.Layer.Samples, 1) && front.RT > 0 && !math.IsInf(front.RT, 0) && front.Target > 0
	over := 0.0
	if known {
		over = math.Log(front.RT / front.Target)
	}
	if !now.Before(s.Until) {
		s.Phase, s.Since, s.Judged = PhaseFeedback, now, now
		s.Reason = "the preset ends: handed over to feedback as it is"
		// Tables are off by more than a hold's window is: what was measured counts in full.
		if over += set.Layer.Aim; known && math.Abs(over) > set.Layer.least() {
			before := s.Index
			s.Front.lnScale = min(max(s.Front.lnScale-over, math.Log(set.Layer.Floor)), math.Log(set.Layer.Ceiling))
			s.look(in)
			s.Changed = now
			s.Reason = fmt.Sprintf("the preset ends at RT %.0f ms against %.0f: handed over to feedback, row %.0f to %.0f ms", front.RT, front.Target, before, s.Index)
		}
		return s, HandOver
	}
	if !known || over <= set.Layer.Band || now.Sub(s.Changed) < set.Settle+set.Fast || front.Lowest {
		return s, Nothing
	}
	before := s.Index
	s.Front.lnScale = max(s.Front.lnScale-min(over, math.Log(set.Layer.MaxDown)), math.Log(set.Layer.Floor))
	s.look(in)
	if s.Index >= before {
		return s, Nothing
	}
	s.Changed = now
	s.Reason = fmt.Sprintf("RT %.0f ms against %.0f while the preset is held: row %.0f to %.0f ms", front.RT, front.Target, before, s.Index)
	return s, Apply
}

// regulate is layer-by-layer feedback and the RT gear.
func (s SceneState) regulate(in SceneSample, set SceneSettings, now time.Time) (SceneState, Action) {
	if now.Sub(s.Judged) < set.Layer.Interval {
		return s, Nothing
	}
	s.Judged = now
	front := in.Front
	front.Target = millis(s.Effective)
	front.Lowest = front.Lowest || in.First > 0 && s.Index <= in.First
	front.Highest = front.Highest || in.Last > 0 && s.Index >= in.Last
	before := s.Front.Scale()
	s.Front, s.Reason = StepLayer(s.Front, front, set.Layer)
	moved := s.Front.Scale() != before
	if moved {
		s.look(in)
	}
	quiet := set.Layer
	quiet.Ceiling = 1 // a call gets back what it lost, never more than the table gives
	for i := 1; i < len(in.Calls); i++ {
		call := in.Calls[i]
		call.Target = 0
		was := s.Calls[i].Scale()
		var why string
		if s.Calls[i], why = StepLayer(s.Calls[i], call, quiet); s.Calls[i].Scale() != was {
			moved = true
			s.Reason += fmt.Sprintf("; call %d: %s", i, why)
		}
	}
	step := s.Gear.Step
	var said string
	if s.Gear, said = StepGear(s.Gear, s.Front, in.Steps, in.Ladder, set.Gear); s.Gear.Step != step {
		scale := s.Front
		next, act := s.move(in, set, now, said)
		if s.Gear.Step > step && next.Index > s.Index { // carry over what feedback had taken already
			next.Front = scale
			next.look(in)
		}
		return next, act
	}
	if said != "" {
		s.Reason += "; " + said
	}
	if !moved {
		return s, Nothing
	}
	s.Changed = now
	return s, Correct
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

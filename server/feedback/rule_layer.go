package feedback

import (
	"fmt"
	"math"
	"time"
)

// LayerSettings bound how a layer's share of time is moved.
type LayerSettings struct {
	Interval time.Duration // between two judgements: three crowd intervals, so that the loops inside have settled
	Band     float64       // half of the width in which RT counts as on target
	Aim      float64       // how far below the target it aims, in ln units: too much is a timeout, too little only costs effect
	EtaDown  float64       // share of the error that one step takes away …
	EtaUp    float64       // … and gives back: slower, because too much is a timeout and too little only costs effect
	MaxDown  float64       // clip of one step, as ratios
	MaxUp    float64
	Floor    float64 // of the scale; there the layer is saturated and the RT gear's turn has come
	Ceiling  float64
	Samples  int64   // fewer requests say nothing
	Timeouts float64 // accepted share of timeouts; 0: not judged
}

// DefaultLayer: a window of 30 s at 50 requests a second and CV 0.5 knows its mean
// within 3 %, which the band must not be below. The scale's range is what a table
// measured on another day may be off; beyond it the RT gear moves.
var DefaultLayer = LayerSettings{
	Interval: 30 * time.Second, Band: 0.03, Aim: 0.01, EtaDown: 0.8, EtaUp: 0.5, MaxDown: 1.5, MaxUp: 1.1,
	Floor: 0.6, Ceiling: 1.6, Samples: 100,
}

// mostLeans is how many windows' mean is told from the target at most.
const mostLeans = 9

// least is an error that is left alone however well it is known, a third of the band:
// the loops inside hold nothing closer.
func (s *LayerSettings) least() float64 { return s.Band / math.Sqrt(mostLeans) }

// LayerSample is what a layer's caller saw of it in one window.
type LayerSample struct {
	Count    int64
	RT       float64 // ms, by the scene's statistic; not judged where Target is 0
	Target   float64 // ms
	Timeouts float64 // share of the requests
	Lowest   bool    // nothing below can do less
	Highest  bool    // nothing below can do more
}

// LayerState is what a layer remembers: the scale on the time that its children
// have. The zero LayerState is a scale of 1.
type LayerState struct {
	lnScale   float64
	lean      float64 // errors of RT of the last windows within the band, summed
	leans     int     // how many, all on one side
	Saturated bool    // over its bounds, and no time left to take away
	// Margin: there is room. Within its bounds on no less time than the table gives
	// is room, too: feedback uses up whatever lies below the band, so that waiting for
	// that alone would wait for ever.
	Margin bool
}

// Scale multiplies the available RT and the timeouts of the layer's children.
func (s LayerState) Scale() float64 { return math.Exp(s.lnScale) }

// Scaled gives a state of a scale.
func Scaled(scale float64) LayerState {
	if !(scale > 0) || math.IsInf(scale, 0) {
		return LayerState{}
	}
	return LayerState{lnScale: math.Log(scale)}
}

// StepLayer is the rule of one layer. A layer is what one caller waits for: the
// caller's RT, if it has a target, or its timeout rate, out of bounds moves the time
// of everything directly below it. Calls below have layers of their own, with
// their own timeout rate as the signal; so a lowered target travels down, layer by
// layer.
//
//	ln scale -= clip(η·(ln(RT/target) + Aim), -ln MaxUp, +ln MaxDown)
//
// A window within the band may be noise; several in a row on one side of the target are
// not. n of them together know their mean √n times as well as one, so it is taken away
// once it is beyond Band/√n. Without it RT stood for minutes where a preset had left
// it, 3 to 4 % off, and every tenth window of 10 s was over 5 %.
//
// Timeouts beyond the accepted share count like an RT that is over by a quarter of
// their excess in ln units: a share twice as large as accepted takes as much time
// away as an RT 19 % over target.
func StepLayer(s LayerState, in LayerSample, set LayerSettings) (LayerState, string) {
	s.Saturated, s.Margin = false, false
	switch {
	case in.Count < max(set.Samples, 1):
		return s, fmt.Sprintf("%d requests are too few, holding", max(in.Count, 0))
	case in.Target > 0 && !(in.RT > 0 && !math.IsInf(in.RT, 0)) || !(in.Timeouts >= 0 && in.Timeouts <= 1):
		return s, "the window is not a number, holding"
	}
	err, what, rt := math.Inf(-1), "", in.Target > 0
	if rt {
		err = math.Log(in.RT/in.Target) + set.Aim
		what = fmt.Sprintf("RT %.0f ms against %.0f", in.RT, in.Target)
	}
	if set.Timeouts > 0 {
		said := fmt.Sprintf("timeouts %.2f %% against %.2f", 100*in.Timeouts, 100*set.Timeouts)
		over := math.Log(max(in.Timeouts, 1e-6)/set.Timeouts) / 4
		switch {
		case in.Target == 0:
			err, what = over, said
		case in.Timeouts > set.Timeouts && over+set.Band > err:
			err, what, rt = over+set.Band, said, false // any excess is beyond the band
		case in.Timeouts > set.Timeouts/2 && err < 0:
			err, what, rt = max(err, -set.Band), said, false // close to the limit nothing is given back
		}
	}
	if math.IsInf(err, -1) {
		return s, "nothing to judge by, holding"
	}
	leans, steady := s.leaning(err, rt && math.Abs(err) <= set.Band)
	if steady = steady && math.Abs(leans) > set.Band/math.Sqrt(float64(min(s.leans, mostLeans))); steady {
		what += fmt.Sprintf(", %+.1f %% off for %d windows", 100*(leans-set.Aim), s.leans)
	}
	before := s.lnScale
	switch {
	case steady && (leans > 0 && !in.Lowest || leans < 0 && !in.Highest):
		s.Margin = s.room(in, set)
		s.lnScale -= set.EtaDown * leans // it is known: up is no more of a risk than down
	case err > set.Band && in.Lowest:
		s.Saturated = true
		return s, what + ": saturated, nothing below can do less"
	case err > set.Band:
		s.lnScale -= min(set.EtaDown*err, math.Log(set.MaxDown))
	case err < -set.Band && in.Highest:
		s.Margin = true
		return s, what + ": top, nothing below can do more"
	case err < -set.Band:
		s.Margin = true
		s.lnScale += min(set.EtaUp*-err, math.Log(set.MaxUp))
	default:
		s.Margin = s.room(in, set)
		return s, what + ": within the band"
	}
	s.lean, s.leans = 0, 0
	s.lnScale = min(max(s.lnScale, math.Log(set.Floor)), math.Log(set.Ceiling))
	if s.lnScale == before {
		if err > 0 {
			s.Saturated = true
			return s, what + ": saturated, the scale is at its floor"
		}
		return s, what + ": the scale is at its ceiling"
	}
	return s, fmt.Sprintf("%s: time below %.3f to %.3f", what, math.Exp(before), s.Scale())
}

// room tells, of a window within the band, that nothing had to be taken away for it.
func (s LayerState) room(in LayerSample, set LayerSettings) bool {
	return s.lnScale >= 0 && !(set.Timeouts > 0 && in.Timeouts > set.Timeouts/2)
}

// leaning counts a window, and gives the mean error of those in a row that lie within
// the band on one side; many tells that there is more than one.
func (s *LayerState) leaning(err float64, within bool) (mean float64, many bool) {
	if !within || s.lean*err < 0 {
		s.lean, s.leans = 0, 0
	}
	if !within {
		return 0, false
	}
	s.lean, s.leans = s.lean+err, s.leans+1
	return s.lean / float64(s.leans), s.leans > 1
}

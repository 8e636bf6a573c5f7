package experiment

import (
	"slices"
	"time"
)

// Figures are what an arm did at one place.
type Figures struct {
	Requests, Timeouts, Errors, Shed int64
	Value                            float64 // a request
	MeanRT, P50, P99                 time.Duration
	TimeoutRate                      float64
	Level                            float64 // mean
}

// figures reads the sums.
func (s *Span) figures() Figures {
	f := Figures{Requests: s.Requests, Timeouts: s.Timeouts, Errors: s.Errors, Shed: s.Shed}
	if s.Requests > 0 {
		n := float64(s.Requests)
		f.Value, f.TimeoutRate, f.Level = s.Value/n, float64(s.Timeouts)/n, float64(s.Levels)/n
	}
	if n := s.Requests - s.Shed; n > 0 {
		f.MeanRT = time.Duration(s.RT / float64(n) * float64(time.Microsecond))
	}
	f.P50, f.P99 = quantile(s, 0.5), quantile(s, 0.99)
	return f
}

func quantile(s *Span, q float64) time.Duration {
	us, _ := s.Sketch.Quantile(q)
	return time.Duration(us * float64(time.Microsecond))
}

// ArmResult is one arm, measured; Lifts compare it with the control and are empty
// for that, and while there is too little.
type ArmResult struct {
	Arm     Arm
	Range   Range
	Measure Figures
	Scope   *Figures // where the arms differ, if that is one other point
	Lifts   []Lift
}

// Point is a span of all arms; Lift is of value, from the start to its end.
type Point struct {
	At   time.Time // its start
	Arms []Figures
	Lift []*Lift // by arm; nil for the control, and while there is too little
}

// Result is what an experiment found so far.
type Result struct {
	Arms   []ArmResult
	Series []Point
	Step   time.Duration
	Ratio  *SampleRatio // nil while there is too little
	Final  bool         // its planned end came: the interval of one look holds
}

// Judge puts the result together.
func Judge(x *Experiment, spans []*Span) Result {
	out := Result{Step: Step(x), Final: x.State == Ended && !x.EndedAt.Before(x.EndsAt), Arms: make([]ArmResult, len(x.Arms))}
	ranges := Ranges(x.Arms)
	index := map[string]int{}
	for i := range x.Arms {
		index[x.Arms[i].Name] = i
		out.Arms[i] = ArmResult{Arm: x.Arms[i], Range: ranges[i]}
	}
	measured, acted := make([]Span, len(x.Arms)), make([]Span, len(x.Arms))
	steps := map[int][]Span{}
	for _, s := range spans {
		i, ok := index[s.Arm]
		if !ok {
			continue
		}
		if s.Role == RoleScope {
			acted[i].add(s)
			continue
		}
		if steps[s.Index] == nil {
			steps[s.Index] = make([]Span, len(x.Arms))
		}
		steps[s.Index][i].add(s)
	}
	out.Series = series(x, steps, measured)
	blocks := make([]*Blocks, len(x.Arms))
	_, two := x.Places()[RoleScope]
	for i := range out.Arms {
		blocks[i] = &measured[i].Blocks
		out.Arms[i].Measure = measured[i].figures()
		if two {
			f := acted[i].figures()
			out.Arms[i].Scope = &f
		}
		if i == 0 {
			continue
		}
		for _, m := range Metrics() {
			if l, ok := Compare(blocks[i], blocks[0], m); ok {
				out.Arms[i].Lifts = append(out.Arms[i].Lifts, l)
			}
		}
	}
	if r, ok := SampleRatioOf(blocks, ranges); ok {
		out.Ratio = &r
	}
	return out
}

// series adds the spans up in order, and leaves their sum in so far.
func series(x *Experiment, steps map[int][]Span, sofar []Span) []Point {
	order := make([]int, 0, len(steps))
	for i := range steps {
		order = append(order, i)
	}
	slices.Sort(order)
	var out []Point
	start := x.StartedAt.Truncate(time.Minute)
	for _, i := range order {
		p := Point{At: start.Add(time.Duration(i) * Step(x)), Lift: make([]*Lift, len(x.Arms))}
		for a := range steps[i] {
			p.Arms = append(p.Arms, steps[i][a].figures())
			sofar[a].add(&steps[i][a])
		}
		for a := 1; a < len(sofar); a++ {
			if l, ok := Compare(&sofar[a].Blocks, &sofar[0].Blocks, MetricValue); ok {
				p.Lift[a] = &l
			}
		}
		out = append(out, p)
	}
	return out
}

package lab

import (
	"time"

	"github.com/allspark/allspark/proto/sketch"
)

// Tally counts what became of the requests of each scene, as the frontend saw it.
type Tally struct {
	Scenes []SceneTally
	Points []PointTally
}

// PointTally is one point's account: the work its visits began with, and, when
// the engine judges, how many of them were downgraded.
type PointTally struct {
	Visits     int64
	Amount     float64 // first parameter, summed
	Judged     int64
	Downgraded int64 // ran below the top
	Needless   int64 // … and would have been within the target at the top
}

func (p *PointTally) add(amount float64) {
	p.Visits++
	p.Amount += amount
}

// SceneTally is one scene's account.
type SceneTally struct {
	Outcomes [outcomes]int64
	Value    float64    // earned
	Offered  float64    // value of a full answer to everybody
	RT       sketch.Sum // of all requests, timeouts at the timeout; microseconds
	Elapsed  int64      // nanoseconds, summed
	Depth    float64    // work done at points above others, summed over requests
	Cut      float64    // … and the part of it that the point below cut off
}

func (t *Tally) init(scenes, points int) {
	t.Scenes, t.Points = make([]SceneTally, scenes), make([]PointTally, points)
}

// Reset starts counting anew, after a warm-up.
func (t *Tally) Reset() { t.init(len(t.Scenes), len(t.Points)) }

func (t *Tally) add(scene int, elapsed int64, out Outcome, earned float64, r *request) {
	s := &t.Scenes[scene]
	s.Outcomes[out]++
	s.Value += earned
	if r.attempt == 0 { // a repeated request offers nothing new
		s.Offered += r.value
	}
	s.RT.Record(uint64(elapsed/1000), 1)
	s.Elapsed += elapsed
	s.Depth += r.done
	s.Cut += r.cut
}

// Count is how many requests ended.
func (s *SceneTally) Count() (n int64) {
	for _, c := range s.Outcomes {
		n += c
	}
	return n
}

// Mean is the mean response time.
func (s *SceneTally) Mean() time.Duration {
	return time.Duration(s.Elapsed / max(s.Count(), 1))
}

// Quantile is a quantile of response time.
func (s *SceneTally) Quantile(q float64) time.Duration {
	us, _ := s.RT.Quantile(q)
	return time.Duration(us * 1000)
}

// Rate is the share of requests that ended so.
func (s *SceneTally) Rate(o Outcome) float64 {
	return float64(s.Outcomes[o]) / float64(max(s.Count(), 1))
}

package loop_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
)

func settings(t time.Duration) loop.Settings {
	work := make([]float64, 100)
	for i := range work {
		work[i] = float64(i+1) / 100
	}
	return loop.SettingsOf(&gear.Order{Strategy: gear.StrategyCrowdRT, Level: 100, MinLevel: 5, MaxLevel: 100, AvailableRT: t}, work)
}

func TestDebugTimeline(t *testing.T) {
	p := newPlant(300)
	set := settings(12 * time.Millisecond)
	s := loop.NewState(set)
	for i := range 60 {
		if i == 30 {
			p.rate = 600
		}
		in, truth := p.run(&s, 10)
		if i%1 == 0 {
			line := fmt.Sprintf("%2d rho %.2f ", i, p.rho)
			for k := range s.Count {
				line += fmt.Sprintf(" %.2f/%.1f", s.Crowds[k].Work, truth[k]/1000)
			}
			t.Log(line)
		}
		s = loop.Step(s, &in, set)
	}
	for k := range s.Count {
		t.Log(k, s.Edge(k), s.Crowds[k].Reason, s.Crowds[k].Bound)
	}
	require.Positive(t, s.Count)
}

package loop

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
)

// TestALoopThatIsGoneCostsNothing: a meter keeps every sink it was ever given, so a
// template published a hundred times must not leave a hundred loops' figures.
func TestALoopThatIsGoneCostsNothing(t *testing.T) {
	l := NewLoops()
	k := Key{Scene: "k2", Point: "recall", Bucket: gear.Any}
	order := &gear.Order{Scene: "k2", Point: "recall", Bucket: gear.Any, Strategy: gear.StrategyCrowdRT, Level: 2, MinLevel: 1, MaxLevel: 2, AvailableRT: 8 * time.Millisecond}
	var sinks []*Sink
	for i := range 3 {
		work := []float64{0.5 + float64(i)/10, 1}
		l.Rebind(true, func() { sinks = append(sinks, l.Bind(k, order, work).Sink()) })
		sinks[i].Record(10, false, time.Millisecond)
		require.NotNil(t, sinks[i].cells.Load())
	}
	l.Rebind(true, func() {}) // the order is gone
	for i, s := range sinks {
		s.Record(10, false, time.Millisecond) // of a request that began before
		require.Nil(t, s.cells.Load(), "loop %d", i)
	}
}

package alert

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/telemetry"
)

// front puts an app above the bed's, which passes requests on.
func (b *bed) front(n func() int64, load func() float64, bad func() float64) {
	b.facts = func(o *Observation) {
		var fe []telemetry.Machine
		for i := range 3 {
			s := telemetry.Share{
				Scene: "k2", Point: "entry", Count: n(), RTSum: time.Duration(n()) * 50 * time.Millisecond, Load: load() * float64(n()), Bad: int64(bad() * float64(n())),
			}
			even(&s)
			fe = append(fe, telemetry.Machine{Source: telemetry.Source{App: "fe", IDC: "ea119", Instance: fmt.Sprintf("f%d", i)}, CPU: 0.3, Shares: []telemetry.Share{s}})
		}
		o.Machines = append(fe, o.Machines...)
	}
}

// At a peak that an app does not bear the light requests come through, or none: the
// input is what it was, and has not stopped.
func TestPeakIsNotAnotherInput(t *testing.T) {
	b := newBed(t)
	n, load, bad := int64(400), 100.0, 0.0
	b.front(func() int64 { return n }, func() float64 { return load }, func() float64 { return bad })
	b.calm()
	n, bad = 1600, 0.5
	b.n, b.load = 300, 40 // of what comes down, which is more than before
	b.run(60)
	b.n = 0
	b.run(60)
	require.Empty(t, b.out)
}

// Another input is seen where it enters, also while traffic falls or requests are lost.
func TestAnotherInputAtAnyTraffic(t *testing.T) {
	for _, now := range []int64{400, 300, 1600} {
		b := newBed(t)
		n, load, bad := int64(400), 100.0, 0.0
		b.front(func() int64 { return n }, func() float64 { return load }, func() float64 { return bad })
		b.calm()
		n, load, bad = now, 200, 0.3
		b.n = now / 2
		b.run(30)
		require.NotEmpty(t, b.out, "%d requests", now)
		require.Equal(t, InputShift, b.out[0].Kind)
	}
}

// Without more traffic silence below is worth a word, whatever is lost above.
func TestSilenceBelow(t *testing.T) {
	b := newBed(t)
	bad := 0.0
	b.front(func() int64 { return 400 }, func() float64 { return 100 }, func() float64 { return bad })
	b.calm()
	b.n, bad = 0, 0.5
	b.run(30).one(InputSilent)
}

package alert

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/telemetry"
)

var start = time.Date(2026, 11, 11, 0, 0, 0, 0, time.UTC)

// bed is six machines of one app with a point and scene, told second by second.
type bed struct {
	t     *testing.T
	watch *Watch
	book  *Book
	rules Rules
	now   time.Time
	out   []*Alert // raised
	over  []*Alert // resolved

	machines int
	n        int64         // requests of each in ten seconds
	rt       time.Duration // mean
	level    int64
	load     float64
	build    string
	each     func(i int, m *telemetry.Machine) // bends one machine
	after    func(i int, m *telemetry.Machine) // likewise, when its ten seconds are cut
	builds   map[string]string
	facts    func(o *Observation)
	gears    Gears
}

func newBed(t *testing.T) *bed {
	return &bed{
		t: t, watch: NewWatch(), book: NewBook(nil, start), rules: Merged(nil), now: start, machines: 6, n: 200, rt: 8 * time.Millisecond, level: 60,
		load: 100, build: "1", builds: map[string]string{}, gears: Gears{1, 100, 80},
	}
}

func (b *bed) step() {
	b.now = b.now.Add(time.Second)
	o := Observation{At: b.now}
	for i := range b.machines {
		m := telemetry.Machine{Source: telemetry.Source{App: "sn", IDC: "ea119", Instance: fmt.Sprintf("m%d", i)}, CPU: 0.5}
		// A few percent of noise that differs by machine and second, and is the same every run.
		wobble := 1 + 0.03*float64((i*7+int(b.now.Unix())*3)%5-2)/2
		if b.n > 0 {
			m.Shares = []telemetry.Share{{
				Scene: "k2", Point: "recall", Count: b.n, RTSum: time.Duration(float64(b.rt) * wobble * float64(b.n)), LevelSum: b.level * b.n, Load: b.load * float64(b.n),
			}}
		}
		if b.each != nil {
			b.each(i, &m)
		}
		for j := range m.Shares {
			even(&m.Shares[j])
		}
		if b.after != nil {
			b.after(i, &m)
		}
		o.Machines = append(o.Machines, m)
	}
	o.Build = func(s telemetry.Source) string {
		if x, ok := b.builds[s.Instance]; ok {
			return x
		}
		return b.build
	}
	o.Gears = func(telemetry.Key) (Gears, bool) { return b.gears, true }
	if b.facts != nil {
		b.facts(&o)
	}
	raise, resolve := b.book.Step(b.watch.Step(&o, b.rules), b.rules, b.now)
	for _, a := range raise {
		a.ID = fmt.Sprint(len(b.out) + 1)
		b.book.Raised(a)
		b.out = append(b.out, a)
	}
	for _, a := range resolve {
		b.book.Dropped(a)
		b.over = append(b.over, a)
	}
}

// even spreads what happened over the ten seconds.
func even(s *telemetry.Share) {
	const n = telemetry.Blocks
	for i := range s.Blocks {
		s.Blocks[i] = telemetry.Block{Count: s.Count / n, LevelSum: s.LevelSum / n, RTSum: s.RTSum / n, Load: s.Load / n}
	}
}

func (b *bed) run(seconds int) *bed {
	for range seconds {
		b.step()
	}
	return b
}

// calm is five minutes in which nothing must be said.
func (b *bed) calm() *bed {
	b.run(300)
	require.Empty(b.t, b.out)
	return b
}

func (b *bed) one(k Kind) *Alert {
	b.t.Helper()
	require.Len(b.t, b.out, 1, "%+v", b.out)
	require.Equal(b.t, k, b.out[0].Kind, b.out[0].Reason)
	return b.out[0]
}

func slow(machine int, by float64) func(int, *telemetry.Machine) {
	return func(i int, m *telemetry.Machine) {
		for j := range m.Shares {
			if i == machine || machine < 0 {
				m.Shares[j].RTSum = time.Duration(by * float64(m.Shares[j].RTSum))
			}
		}
	}
}

func TestBadMachine(t *testing.T) {
	b := newBed(t).calm()
	b.each = slow(2, 1.6)
	a := b.run(20).one(BadMachine)
	require.Equal(t, Scope{App: "sn", IDC: "ea119", Scene: "k2", Point: "recall", Instance: "m2"}, a.Scope)
	require.InDelta(t, 0.6, a.Value, 0.1)
	require.Equal(t, 15*time.Second, a.FiredAt.Sub(a.StartedAt), "for as long as the rule says")
	// The loop turns its level down until the RT is as before: it is off all the same.
	b.each = func(i int, m *telemetry.Machine) {
		if i == 2 {
			m.Shares[0].LevelSum = 35 * b.n
		}
	}
	b.run(200).one(BadMachine)
	b.each = nil
	b.run(62).one(BadMachine)
	require.Len(t, b.over, 1)
	require.Contains(t, b.over[0].Ending, "not seen for 1m")
}

func TestBadMachineThatFailsFast(t *testing.T) {
	b := newBed(t).calm()
	b.each = func(i int, m *telemetry.Machine) {
		if i == 2 {
			m.Shares[0].Bad, m.Shares[0].RTSum = m.Shares[0].Count/2, m.Shares[0].RTSum/4
		}
	}
	require.Contains(t, b.run(20).one(BadMachine).Reason, "loses 50 % of its requests")
}

// Of two machines nobody knows which one is wrong; of two populations neither is.
func TestNoPeers(t *testing.T) {
	b := newBed(t)
	b.machines = 2
	b.calm()
	b.each = slow(1, 3)
	for _, a := range b.run(30).out {
		require.NotEqual(t, BadMachine, a.Kind)
	}
}

func TestBadRelease(t *testing.T) {
	for name, machines := range map[string]int{"all at once": 6, "two of six": 2} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t).calm()
			b.each = func(i int, m *telemetry.Machine) {
				if i < machines {
					b.builds[m.Instance] = "2"
					slow(i, 1.5)(i, m)
				}
			}
			a := b.run(20).one(BadRelease)
			require.Equal(t, "2", a.Scope.Object)
			b.run(200).one(BadRelease) // and by no other name
		})
	}
}

func TestGoodRelease(t *testing.T) {
	b := newBed(t).calm()
	b.build = "2"
	b.calm()
}

func TestCapacity(t *testing.T) {
	t.Run("slower", func(t *testing.T) {
		b := newBed(t).calm()
		b.each = slow(-1, 1.8)
		require.Contains(t, b.run(20).one(Capacity).Reason, "for the same work at recall than some minutes ago, at the same traffic")
		b.run(400).one(Capacity) // what is wrong does not become what is usual
		require.Empty(t, b.over)
	})
	t.Run("floor", func(t *testing.T) {
		b := newBed(t).calm()
		b.level, b.n, b.rt = 1, 2000, 9*time.Millisecond // traffic explains the level, not that nothing is left
		a := b.run(20).one(Capacity)
		require.Equal(t, Critical, a.Severity)
		require.Contains(t, a.Reason, "lowest level")
	})
	t.Run("ordered floor", func(t *testing.T) { // a plan that orders the lowest level is no fault
		b := newBed(t)
		b.level, b.gears = 1, Gears{1, 100, 1}
		b.calm()
	})
	t.Run("gone", func(t *testing.T) {
		b := newBed(t).calm()
		b.machines, b.n, b.rt = 4, 300, 11*time.Millisecond
		require.Contains(t, b.run(20).one(Capacity).Reason, "2 of 6 machines stopped reporting")
	})
	t.Run("scaled in", func(t *testing.T) { // fewer machines that do as well are no fault
		b := newBed(t).calm()
		b.machines = 4
		b.calm()
	})
	t.Run("less work", func(t *testing.T) { // another point was given the time: what does not scale with the level remains
		b := newBed(t).calm()
		b.level, b.rt = 20, 5500*time.Microsecond
		b.calm()
	})
	t.Run("traffic", func(t *testing.T) { // more traffic takes more: that is what gears are for
		b := newBed(t).calm()
		b.n, b.level, b.rt = 500, 25, 9*time.Millisecond
		b.calm()
	})
}

func TestInput(t *testing.T) {
	t.Run("heavier", func(t *testing.T) {
		b := newBed(t).calm()
		b.load, b.rt = 150, 12*time.Millisecond
		require.Contains(t, b.run(20).one(InputShift).Reason, "50 % more load")
	})
	t.Run("lighter", func(t *testing.T) {
		b := newBed(t).calm()
		b.load, b.rt = 50, 5*time.Millisecond
		require.Contains(t, b.run(20).one(InputShift).Reason, "50 % less load")
	})
	t.Run("silent", func(t *testing.T) {
		b := newBed(t).calm()
		b.n = 0
		require.Contains(t, b.run(20).one(InputSilent).Reason, "120 a second")
		b.n = 200
		b.run(60)
		require.Len(t, b.over, 1)
	})
	t.Run("nobody reports", func(t *testing.T) {
		b := newBed(t).calm()
		b.machines = 0
		require.Equal(t, Critical, b.run(20).one(InputSilent).Severity)
	})
}

func TestStates(t *testing.T) {
	src := telemetry.Source{App: "sn", IDC: "ea119", Instance: "m1"}
	for kind, facts := range map[Kind]func(o *Observation){
		AgentRefused: func(o *Observation) {
			o.Agents = []AgentState{{Source: src, Refused: true, Version: gear.Version{Revision: 41}, Problems: "orders[0].level: out of range"}}
		},
		AgentStale: func(o *Observation) { o.Agents = []AgentState{{Source: src, Stale: true, Silence: 9 * time.Second}} },
		QuotaFallback: func(o *Observation) {
			o.Groups = []GroupState{{Name: "rank", App: "sn", IDC: "*", Fallback: 3, Agents: 9}}
		},
		PlanMissed: func(o *Observation) {
			o.Missed = []MissedStep{{Plan: "double-11", Step: "midnight", Occurrence: "2026-11-10", Reason: "away"}}
		},
	} {
		t.Run(string(kind), func(t *testing.T) {
			b := newBed(t)
			b.facts = facts
			b.run(20).one(kind)
			r := b.rules[kind]
			r.Enabled = false
			b.rules[kind] = r
			b.run(2)
			require.Equal(t, "its rule was switched off", b.over[0].Ending)
		})
	}
}

func TestBlinksCountAsOne(t *testing.T) {
	b := newBed(t).calm()
	slowNow := slow(2, 1.6)
	for i := range 26 {
		b.each = nil
		if i%3 != 2 { // unseen every third second
			b.each = slowNow
		}
		b.step()
	}
	b.one(BadMachine)
}

// A successor that has watched all along goes on with the alerts that stand.
func TestTakeOver(t *testing.T) {
	b := newBed(t).calm()
	b.each = slow(2, 1.6)
	a := b.run(20).one(BadMachine)
	b.book = NewBook([]*Alert{a}, b.now)
	b.run(120).one(BadMachine)
	b.each = nil
	b.run(62)
	require.Len(t, b.over, 1)
}

func TestSilenceCovers(t *testing.T) {
	a := &Alert{Kind: BadMachine, Scope: Scope{App: "sn", IDC: "ea119", Instance: "m1"}}
	s := Silence{Start: start, End: start.Add(time.Hour)}
	require.True(t, s.Covers(a, start))
	require.False(t, s.Covers(a, start.Add(time.Hour)))
	require.False(t, s.Covers(a, start.Add(-1)))
	s.Scope = Scope{App: "sn", IDC: "*"}
	require.True(t, s.Covers(a, start))
	s.Scope.Instance = "m2"
	require.False(t, s.Covers(a, start))
	s.Scope.Instance, s.Kind = "m1", Capacity
	require.False(t, s.Covers(a, start))
}

func TestRetries(t *testing.T) {
	d := Delivery{CreatedAt: start}
	var waits []time.Duration
	now := start
	for !d.GivenUp {
		d = attempted(d, fmt.Errorf("no answer"), now)
		waits = append(waits, d.NextAt.Sub(now))
		now = d.NextAt
	}
	require.Equal(t, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}, waits[:3])
	require.Equal(t, maxRetry, waits[len(waits)-1])
	require.Greater(t, now.Sub(start), giveUpAfter)
	d = attempted(Delivery{CreatedAt: start}, nil, now)
	require.Equal(t, now, d.SentAt)
}

func TestDefaultsAreValid(t *testing.T) {
	require.Len(t, Defaults(), len(Kinds()))
	for _, r := range Defaults() {
		require.Empty(t, r.Check(), r.Kind)
	}
}

package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/proto/gear"
)

func TestADeclarationAfterStartIsTold(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		late := b.ag.Point("rank")
		size := late.Int("candidates").Default(500)
		d := late.Begin(agent.Scene{}, agent.Request{})
		require.Equal(t, int64(500), size.Get(&d))
		more := late.Float("share").Default(0.5)
		require.InDelta(t, 0.5, more.Get(&d), 0, "declared after the decision began: its default")
		require.Equal(t, int64(77), b.tags.Get(&d), "another point's decision: the default")
		time.Sleep(time.Second)
		last := b.Hellos()[len(b.Hellos())-1]
		require.Len(t, last.Points, 3)
		require.Len(t, last.Points[2].Params, 2)
	})
}

func TestWrongDeclarationsAreAllTold(t *testing.T) {
	ag := agent.New(agent.Config{App: "s n", Address: "10.0.0.1:7600"})
	p := ag.Point("recall")
	p.Int("tag_count").Range(200, 10).Default(50)
	p.Int("docs").Range(1, 10).Default(50)
	p.Float("share")
	p.Enum("model", "small", "large").Default("huge")
	p.Float("tag_count")
	p.Int("Bad Name").Default(1)
	ag.Point("bad point")
	ag.External("recall")
	ag.External("call").Default(-1)
	err := ag.Start(t.Context())
	var problems gear.Problems
	require.ErrorAs(t, err, &problems)
	for _, want := range []string{
		`config.app: "s n" is not a name of app`,
		"config.idc: the agent needs the name of its IDC",
		"config.address: controller address \"10.0.0.1:7600\" is on another machine: give a TLS config",
		"points.recall.tag_count.max: the max of \"tag_count\" is 10, below its min 200",
		"points.recall.docs.default: docs wants int 1..10, got 50 as default",
		"points.recall.share.default: share needs a default",
		"points.recall.model.default: model wants enum small|large, got \"huge\" as default",
		"points.recall: tag_count is declared as int and as float",
		"points.recall: recall is a point that is no external call already",
		"points.call: the timeout of call must be above 0, got -1ns",
		`points.bad point: "bad point" is not a name of a point`,
		`"Bad Name" is not a parameter name`,
	} {
		require.Contains(t, err.Error(), want)
	}
	d := p.Begin(ag.Scene("k2"), agent.Request{})
	p.Int("docs").Get(&d)
	d.End(agent.Result{})
	require.NoError(t, ag.Close(), "never started")
}

func TestEveryKindIsRead(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		p := b.ag.Point("all")
		i, f := p.Int("i").Step(5).Default(5), p.Float("f").Range(0, 1).Step(0.25).Unit("share").Monotonic(agent.Rising).Default(0.5)
		o, s := p.Bool("o"), p.String("s").Default("plain")
		e, w := p.Enum("e", "small", "large").Default("small"), p.Duration("w").Range(0, time.Second).Step(time.Millisecond).Monotonic(agent.Falling).Default(time.Millisecond)
		read := func() []any {
			d := p.Begin(agent.Scene{}, agent.Request{})
			return []any{i.Get(&d), f.Get(&d), o.Get(&d), s.Get(&d), e.Get(&d), w.Get(&d)}
		}
		require.Equal(t, []any{int64(5), 0.5, false, "plain", "small", time.Millisecond}, read())
		var none agent.Decision
		require.Equal(t, int64(5), i.Get(&none), "the zero Decision reads defaults")
		none.End(agent.Result{})
		b.Levels("all", agenttest.Row{"i": 10, "f": 0.75, "o": true, "s": "fancy", "e": gear.Enum("large"), "w": 2 * time.Millisecond})
		b.held(t, b.SetLevel("*", "all", 1))
		require.Equal(t, []any{int64(10), 0.75, true, "fancy", "large", 2 * time.Millisecond}, read())
		require.NoError(t, b.ag.Check())
	})
}

// The promise to a request: nothing is allocated, whatever it meets.
func TestARequestAllocatesNothing(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(10)...)
		name := b.pt.String("model").Default("small")
		request := func() {
			d := b.pt.Begin(b.ag.Scene("k2"), agent.Request{Load: 3, Value: 2, Key: "u1234567890"})
			if b.tags.Get(&d) == 0 || name.Get(&d) == "" {
				panic("no value")
			}
			d.End(agent.Result{Elapsed: 5 * time.Millisecond, Outcome: agent.OK, Value: 1})
			c := b.call.Begin(b.ag.Scene("k2"), agent.Request{})
			c.EndSince(time.Now().Add(-c.Timeout()), agent.Timeout)
		}
		request()
		require.Zero(t, testing.AllocsPerRun(100, request), "on defaults")
		for l := range 2 {
			b.Levels("recall", agenttest.Row{"tag_count": 20, "model": "a"}, agenttest.Row{"tag_count": 30, "model": "b"})
			v := b.SetLevel("*", "recall", l+1)
			b.held(t, v)
			request()
			require.Zero(t, testing.AllocsPerRun(100, request), "on orders")
		}
	})
}

// values makes an enum of some 15 KiB: 256 values of 60 bytes.
func values() []string {
	out := make([]string, 256)
	for i := range out {
		out[i] = fmt.Sprintf("%s-%03d", strings.Repeat("v", 56), i)
	}
	return out
}

// TestDeclarationsTooLargeForAHelloAreToldBeforeDialling: a controller ends the
// stream of a frame that is too large, and that tells nobody what to mend.
func TestDeclarationsTooLargeForAHelloAreToldBeforeDialling(t *testing.T) {
	ag := agent.New(agent.Config{App: "sn", IDC: "et2", Build: strings.Repeat("b", 300)})
	for i := range 5 {
		p := ag.Point(fmt.Sprint("point", i))
		for j := range 2 + i%2*2 {
			v := values()
			p.Enum(fmt.Sprint("model", j), v...).Default(v[0])
		}
	}
	p := ag.Point("recall")
	for j := range 6 {
		v := values()
		p.Enum(fmt.Sprint("model", j), v[:256-j]...).Default(v[0])
	}
	err := ag.Start(t.Context())
	var problems gear.Problems
	require.ErrorAs(t, err, &problems)
	require.ErrorContains(t, err, "points.recall: the declarations take")
	require.ErrorContains(t, err, "a controller hears of at most 245760: recall takes most of them")
	require.ErrorContains(t, err, "of which its parameter model0 ")
	require.ErrorContains(t, err, "config.build: build has at most 256 bytes, got 300")
}

// TestWhatIsDeclaredLastIsLeftOutOfAHelloThatIsFull: the stream, and what was told,
// outlive declarations made after Start that do not fit.
func TestWhatIsDeclaredLastIsLeftOutOfAHelloThatIsFull(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		for i := range 20 {
			v := values()
			b.ag.Point(fmt.Sprint("late", i)).Enum("model", v...).Default(v[0])
		}
		time.Sleep(time.Second)
		hellos := b.Hellos()
		last := hellos[len(hellos)-1]
		require.Greater(t, len(last.Points), 10)
		require.Less(t, len(last.Points), 22)
		require.Equal(t, "recall", last.Points[0].Name)
		require.True(t, b.ag.Status().Connected)
		b.held(t, b.SetTimeout("*", "feature_call", 30*time.Millisecond))
	})
}

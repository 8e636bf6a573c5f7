package agent_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	"github.com/allspark/allspark/proto/gear"
)

// An app declares its point once, asks for every request and reports the end.
func Example() {
	c := agenttest.NewController(agenttest.Options{}) // in production: a real one's address
	defer c.Close()
	ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2"})

	recall := ag.Point("recall")
	tags := recall.Int("tag_count").Range(10, 200).Unit("tags").Default(100)
	k2 := ag.Scene("k2")

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := ag.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	defer ag.Close()

	serve := func() {
		d := recall.Begin(k2, agent.Request{Load: 3200})
		fmt.Println("look up", tags.Get(&d), "tags")
		d.End(agent.Result{Elapsed: 6 * time.Millisecond, Outcome: agent.OK})
	}
	serve()
	c.Levels("recall", agenttest.Row{"tag_count": 50}, agenttest.Row{"tag_count": 150})
	if _, err := c.WaitAck(ctx, c.SetLevel("k2", "recall", 1)); err != nil {
		fmt.Println(err)
	}
	serve()
	// Output:
	// look up 100 tags
	// look up 50 tags
}

// local is an agent without a controller, which answers with its defaults.
func local() *agent.Agent { return agent.New(agent.Config{App: "sn", IDC: "et2"}) }

func ExampleNew() {
	ag := agent.New(agent.Config{App: "sn", IDC: "et2"})
	defer ag.Close()
	fmt.Println(agent.SDK, ag.Status().Rung)
	// Output: go/1 default
}

func ExampleConfig() {
	cfg := agent.Config{
		App: "sn", IDC: "et2", Build: "1.2.0",
		Address:    "127.0.0.1:7600,127.0.0.1:7601", // tried in turn
		EnrolToken: "from a secret store",
		DataDir:    "/var/lib/sn/allspark",
		CPU:        func() float64 { return 0.4 },
		Log:        slog.New(slog.DiscardHandler),
	}
	fmt.Println(agent.New(cfg).Check())
	// Output: <nil>
}

func ExampleOption() {
	opts := []agent.Option{agent.WithDialer(func(ctx context.Context, address string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", "/run/allspark.sock")
	})}
	ag := agent.New(agent.Config{App: "sn", IDC: "et2", Address: "allspark"}, opts...)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleWithDialer() {
	c := agenttest.NewController(agenttest.Options{})
	defer c.Close()
	ag := agent.New(agent.Config{App: "sn", IDC: "et2", Address: "memory", EnrolToken: agenttest.Token}, agent.WithDialer(c.Dial))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = ag.Start(ctx)
	defer ag.Close()
	fmt.Println(c.WaitAgents(ctx, 1))
	// Output: <nil>
}

func ExampleWithClockOffset() {
	// An engine whose clock runs five minutes fast, in a test.
	ag := agent.New(agent.Config{App: "sn", IDC: "et2"}, agent.WithClockOffset(5*time.Minute))
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleAgent() {
	ag := local()
	rank := ag.Point("rank")
	docs := rank.Int("candidates").Default(500)
	d := rank.Begin(ag.Scene("k2"), agent.Request{})
	fmt.Println(docs.Get(&d))
	// Output: 500
}

func ExampleAgent_Start() {
	ag := local()
	ag.Point("recall").Int("tag_count").Range(10, 200).Default(500)
	fmt.Println(ag.Start(context.Background()))
	// Output: declare agent: points.recall.tag_count.default: tag_count wants int 10..200, got 500 as default
}

func ExampleAgent_Close() {
	ag := local()
	_ = ag.Start(context.Background())
	fmt.Println(ag.Close())
	// Output: <nil>
}

func ExampleAgent_Check() {
	ag := local()
	ag.Point("recall").Float("share")
	var problems gear.Problems
	fmt.Println(errors.As(ag.Check(), &problems), problems[0].Path)
	// Output: true points.recall.share.default
}

func ExampleAgent_Point() {
	ag := local()
	first, again := ag.Point("recall"), ag.Point("recall")
	fmt.Println(first == again)
	// Output: true
}

func ExampleAgent_External() {
	ag := local()
	call := ag.External("feature_call").Default(50*time.Millisecond).Range(5*time.Millisecond, 200*time.Millisecond)
	d := call.Begin(ag.Scene("k2"), agent.Request{})
	ctx, cancel := context.WithTimeout(context.Background(), d.Timeout())
	defer cancel()
	_ = ctx // … make the call under ctx
	d.End(agent.Result{Elapsed: 12 * time.Millisecond, Outcome: agent.OK})
	fmt.Println(d.Timeout())
	// Output: 50ms
}

func ExampleAgent_Scene() {
	ag := local()
	first, again := ag.Scene("k2"), ag.Scene("k2")
	fmt.Println(first == again, ag.Scene("*") == agent.Scene{})
	// Output: true true
}

func ExampleAgent_Status() {
	s := local().Status()
	fmt.Println(s.Connected, s.Rung, s.Held.Revision)
	// Output: false default 0
}

func ExampleErrClosed() {
	ag := local()
	_ = ag.Close()
	fmt.Println(errors.Is(ag.Start(context.Background()), agent.ErrClosed))
	// Output: true
}

func ExampleScene() {
	var all agent.Scene // the zero Scene is "*"
	p := local().Point("recall")
	d := p.Begin(all, agent.Request{})
	fmt.Println(d.Rung())
	// Output: default
}

func ExamplePoint() {
	ag := local()
	rank := ag.Point("rank")
	model := rank.Enum("model", "small", "large").Default("small")
	d := rank.Begin(ag.Scene("k2"), agent.Request{Load: 120})
	fmt.Println(model.Get(&d))
	d.End(agent.Result{Elapsed: 9 * time.Millisecond, Outcome: agent.OK})
	// Output: small
}

func ExamplePoint_Begin() {
	ag := local()
	p := ag.Point("recall")
	d := p.Begin(ag.Scene("k2"), agent.Request{Load: 3200, Value: 1.5, Key: "user-42"})
	defer d.End(agent.Result{Elapsed: time.Millisecond})
	fmt.Println(d.Level())
	// Output: 0
}

func ExamplePoint_Name() {
	fmt.Println(local().Point("recall").Name())
	// Output: recall
}

func ExampleExternal() {
	call := local().External("feature_call").Default(40 * time.Millisecond)
	retries := call.Int("retries").Range(0, 2).Default(1) // a call edge may have parameters too
	d := call.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(d.Timeout(), retries.Get(&d))
	// Output: 40ms 1
}

func ExampleExternal_Default() {
	d := local().External("feature_call").Default(40*time.Millisecond).Begin(agent.Scene{}, agent.Request{})
	fmt.Println(d.Timeout())
	// Output: 40ms
}

func ExampleExternal_Range() {
	ag := local()
	ag.External("feature_call").Range(time.Second, time.Millisecond)
	fmt.Println(ag.Check())
	// Output: declare agent: points.feature_call: the timeout of feature_call has the range 1s..1ms
}

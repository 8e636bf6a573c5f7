package agent_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/allspark/allspark/agent"
)

func ExampleRequest() {
	p := local().Point("recall")
	d := p.Begin(agent.Scene{}, agent.Request{Load: 3200, Value: 1.5, Key: "user-42"})
	d.End(agent.Result{Elapsed: 4 * time.Millisecond})
	// Output:
}

func ExampleResult() {
	p := local().Point("recall")
	d := p.Begin(agent.Scene{}, agent.Request{})
	d.End(agent.Result{Elapsed: 4 * time.Millisecond, Outcome: agent.OK, Value: 0.02})
	// Output:
}

func ExampleOutcome() {
	errTimeout := errors.New("deadline exceeded")
	outcome := func(err error) agent.Outcome {
		switch {
		case err == nil:
			return agent.OK
		case errors.Is(err, errTimeout):
			return agent.Timeout
		default:
			return agent.Error
		}
	}
	p := local().Point("recall")
	d := p.Begin(agent.Scene{}, agent.Request{})
	d.End(agent.Result{Elapsed: 50 * time.Millisecond, Outcome: outcome(errTimeout)})
	d = p.Begin(agent.Scene{}, agent.Request{})
	d.End(agent.Result{Outcome: agent.Shed}) // refused before any work
	// Output:
}

func ExampleDecision() {
	p := local().Point("recall")
	tags, depth := p.Int("tag_count").Default(100), p.Int("depth").Default(3)
	d := p.Begin(agent.Scene{}, agent.Request{Load: 3200})
	fmt.Println(tags.Get(&d), depth.Get(&d)) // belong together, whatever arrives meanwhile
	d.End(agent.Result{Elapsed: 4 * time.Millisecond})
	// Output: 100 3
}

func ExampleDecision_End() {
	p := local().Point("recall")
	d := p.Begin(agent.Scene{}, agent.Request{})
	d.End(agent.Result{Elapsed: 4 * time.Millisecond, Outcome: agent.OK})
	d.End(agent.Result{Elapsed: 9 * time.Millisecond}) // counted once
	// Output:
}

func ExampleDecision_EndSince() {
	p := local().Point("recall")
	began := time.Now()
	d := p.Begin(agent.Scene{}, agent.Request{})
	// … work
	d.EndSince(began, agent.OK)
	// Output:
}

func ExampleDecision_Level() {
	d := local().Point("recall").Begin(agent.Scene{}, agent.Request{})
	fmt.Println(d.Level(), "is the app's defaults")
	// Output: 0 is the app's defaults
}

func ExampleDecision_Timeout() {
	d := local().External("feature_call").Begin(agent.Scene{}, agent.Request{})
	fmt.Println(d.Timeout())
	// Output: 1s
}

func ExampleDecision_Version() {
	d := local().Point("recall").Begin(agent.Scene{}, agent.Request{})
	fmt.Println(d.Version().Revision)
	// Output: 0
}

func ExampleDecision_Rung() {
	d := local().Point("recall").Begin(agent.Scene{}, agent.Request{})
	fmt.Println(d.Rung())
	// Output: default
}

func ExampleStatus() {
	ag := local()
	ag.Point("recall")
	s := ag.Status()
	fmt.Println(s.Connected, s.Rung, s.Refusal == nil, s.Disk)
	// Output: false default true <nil>
}

func ExamplePointStatus() {
	ag := local()
	ag.Point("recall")
	for _, p := range ag.Status().Points {
		fmt.Println(p.Name, p.Rung, p.Level)
	}
	// Output: recall default 0
}

// An app that predicts response times itself gives its prediction, at one fixed
// reference level, in place of a count of ads or tokens.
func ExamplePredicted() {
	ag := agent.New(agent.Config{App: "sn", IDC: "et2"})
	recall := ag.Point("recall")
	d := recall.Begin(ag.Scene("k2"), agent.Request{Load: agent.Predicted(7 * time.Millisecond)})
	d.End(agent.Result{Elapsed: 5 * time.Millisecond})
	fmt.Println(agent.Predicted(7 * time.Millisecond))
	// Output: 7000
}

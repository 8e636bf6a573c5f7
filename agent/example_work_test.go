package agent_test

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/agent"
)

// What an app knows of a request's work, controllers learn profiles from.
func ExampleWork() {
	w := agent.Work{CPU: 3.5, Taken: 500, Output: 175, Effect: 0.12}
	fmt.Println(w.Taken, "candidates in,", w.Output, "out")
	// Output: 500 candidates in, 175 out
}

func ExampleDecision_Worked() {
	ag := local()
	prerank := ag.Point("prerank")
	d := prerank.Begin(ag.Scene("k2"), agent.Request{Load: 3200})
	d.Worked(agent.Work{Taken: 500, Output: 175})
	d.End(agent.Result{Elapsed: 4 * time.Millisecond, Outcome: agent.OK})
	d.Worked(agent.Work{Taken: 1}) // after End: of no request
	fmt.Println(d.Level())
	// Output: 0
}

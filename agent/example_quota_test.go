package agent_test

import (
	"fmt"

	"github.com/allspark/allspark/agent"
)

// How many candidates a request may rank, by what its user is worth.
func ExamplePoint_Quota() {
	ag := agent.New(agent.Config{App: "rank", IDC: "ea119"})
	quota := ag.Point("rank").Quota("k2").Default(300)
	candidates := 1000
	fmt.Println(quota.Take(1, candidates), quota.Take(1.5, candidates), quota.Take(1, 40))
	// Output: 300 450 40
}

func ExampleAgent_Quotas() {
	ag := agent.New(agent.Config{App: "rank", IDC: "ea119"})
	for _, g := range ag.Quotas() {
		fmt.Println(g.Group, g.Base, g.Rung)
	}
	fmt.Println(len(ag.Quotas()), "groups")
	// Output: 0 groups
}

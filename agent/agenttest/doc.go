// Package agenttest is a controller for the tests of apps that embed the SDK: it
// speaks the real stream, over memory, and does what the test says.
//
//	c := agenttest.NewController(agenttest.Options{})
//	defer c.Close()
//	ag := c.NewAgent(agent.Config{App: "sn", IDC: "et2"})
//	tags := ag.Point("recall").Int("tag_count").Range(10, 200).Default(100)
//	_ = ag.Start(ctx)
//	defer ag.Close()
//
//	c.Levels("recall", agenttest.Row{"tag_count": 50}, agenttest.Row{"tag_count": 150})
//	v := c.SetLevel("*", "recall", 2)
//	ack, err := c.WaitAck(ctx, v)
//
// Quotas: c.SetBase("rank", 120, gear.QuotaTerms{}, "rank") gives a group's base
// quota to the points named, c.WaitQuotaCount tells what entered ranking.
//
// It decides nothing: no templates, no claims, no precedence. It works inside a
// testing/synctest bubble, where waiting costs no time.
//
// # When things fail
//
// Orders a test gets wrong are sent as they are, so that a test can see them
// refused. Only a Go value that is no parameter value panics, in the test's own
// call.
package agenttest

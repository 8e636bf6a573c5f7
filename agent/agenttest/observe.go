package agenttest

import (
	"context"
	"slices"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// WaitAck waits for the answer to a version, a refusal included. After a
// reconnect an agent's hello counts too: it says what is held.
func (c *Controller) WaitAck(ctx context.Context, v gear.Version) (gear.Ack, error) {
	var ack gear.Ack
	err := c.wait(ctx, func() bool {
		for _, a := range c.acks {
			if a.Version == v {
				ack = a
				return true
			}
		}
		for _, h := range c.hellos {
			if h.Held == v {
				ack = gear.Ack{Version: v}
				return true
			}
		}
		return false
	})
	return ack, err
}

// WaitHeld waits until n agents have answered that they hold a version.
func (c *Controller) WaitHeld(ctx context.Context, v gear.Version, n int) error {
	return c.wait(ctx, func() bool {
		held := 0
		for s := range c.sessions {
			if s.held == v {
				held++
			}
		}
		return held >= n
	})
}

// WaitAgents waits until n agents are connected.
func (c *Controller) WaitAgents(ctx context.Context, n int) error {
	return c.wait(ctx, func() bool { return len(c.sessions) == n })
}

// WaitReport waits for a report that ok accepts; earlier ones count.
func (c *Controller) WaitReport(ctx context.Context, ok func(gear.Report) bool) (gear.Report, error) {
	var found gear.Report
	err := c.wait(ctx, func() bool {
		i := slices.IndexFunc(c.reports, ok)
		if i >= 0 {
			found = c.reports[i]
		}
		return i >= 0
	})
	return found, err
}

// Reports are all reports so far.
func (c *Controller) Reports() []gear.Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.reports)
}

// Acks are all answers so far.
func (c *Controller) Acks() []gear.Ack {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.acks)
}

// Hellos are all registrations so far.
func (c *Controller) Hellos() []gear.Hello {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.hellos)
}

// Enrolments counts the credentials given out.
func (c *Controller) Enrolments() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.enrolled
}

// Goodbye sends every agent away, to return after a time.
func (c *Controller) Goodbye(reason string, after time.Duration) { c.Send(goodbye(reason, after)) }

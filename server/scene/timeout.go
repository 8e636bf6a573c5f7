package scene

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// CheckTimeouts refuses a call whose timeout is shorter than what must fit into
// it. own gives the mean time of a point; nil takes it as nothing. Calls without a
// timeout of their own count with what is within them.
func (g *Graph) CheckTimeouts(own func(Place) time.Duration) gear.Problems {
	var out gear.Problems
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if !n.External || n.Timeout == 0 || g.leaf(i) {
			continue
		}
		children := g.within(n.ID, own, map[string]bool{n.ID: true})
		if least := n.Network + children; n.Timeout < least {
			out.Add(fmt.Sprintf("graph.nodes[%d].timeout", i), gear.CodeRange,
				fmt.Sprintf("%s has a timeout of %s, and what runs within it may take %s + %s of network = %s",
					gear.Shown(n.ID), n.Timeout, children, n.Network, least))
		}
	}
	return out
}

// within is the longest path of own work and timeouts directly within a call.
func (g *Graph) within(id string, own func(Place) time.Duration, around map[string]bool) time.Duration {
	ends := map[string]time.Duration{}
	longest := time.Duration(0)
	// The graph has no circle, so as many rounds as nodes settle every end.
	for range g.Nodes {
		for i := range g.Nodes {
			n := &g.Nodes[i]
			if n.Within != id || around[n.ID] {
				continue
			}
			start := time.Duration(0)
			for _, e := range g.Edges {
				if e.To == n.ID {
					start = max(start, ends[e.From])
				}
			}
			took := time.Duration(0)
			switch {
			case n.External:
				if took = n.Timeout; took == 0 {
					around[n.ID] = true
					took = n.Network + g.within(n.ID, own, around)
					delete(around, n.ID)
				}
				took *= time.Duration(1 + n.Retries)
			case own != nil:
				took = own(n.Place)
			}
			ends[n.ID] = start + took
			longest = max(longest, ends[n.ID])
		}
	}
	return longest
}

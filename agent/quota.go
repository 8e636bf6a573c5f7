package agent

import "github.com/allspark/allspark/agent/quota"

// Quota gives the handle that decides how many candidates requests of a scene may
// rank at this point, within the budget of the group that the controller put the
// place in. Scene "*" stands for requests without a scene of their own. Resolve it
// once; without a controller it answers with its Default.
func (p *Point) Quota(scene string) *quota.Quota { return p.agent.quota.Quota(scene, p.name) }

// Quotas tells how the base quotas of this agent's groups stand.
func (a *Agent) Quotas() []quota.Status { return a.quota.Status() }

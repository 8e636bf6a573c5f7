package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Ban refuses an agent from now on. It gives the agent as it was, so that the
// caller can end its stream.
func (r *Registry) Ban(ctx context.Context, instance, reason string, c audit.Change, now time.Time) (Agent, error) {
	if reason == "" {
		return Agent{}, fault.WithProblems(gear.Problems{{Path: "reason", Code: "required", Message: "a ban wants a reason"}}, "ban refused")
	}
	if len(reason) > 1000 {
		return Agent{}, fault.WithProblems(gear.Problems{{Path: "reason", Code: "size", Message: "a reason has at most 1000 bytes"}}, "ban refused")
	}
	before, err := r.Get(instance, now)
	if err != nil {
		return Agent{}, err
	}
	// The row must be there before it can be banned, whoever serves the agent.
	if err := r.store.SaveAgents(ctx, []Agent{before}); err != nil {
		return Agent{}, fmt.Errorf("save agent %s: %w", instance, err)
	}
	if err := r.store.BanAgent(ctx, instance, reason, c); err != nil {
		return Agent{}, fmt.Errorf("ban agent %s: %w", instance, err)
	}
	return before, r.setBan(instance, reason)
}

// Unban lets an agent come back.
func (r *Registry) Unban(ctx context.Context, instance string, c audit.Change, now time.Time) error {
	a, err := r.Get(instance, now)
	if err != nil {
		return err
	}
	if a.Banned == "" {
		return fault.New(fault.Conflict, "agent %s is not banned", gear.Shown(instance))
	}
	if err := r.store.UnbanAgent(ctx, instance, c); err != nil {
		return fmt.Errorf("unban agent %s: %w", instance, err)
	}
	return r.setBan(instance, "")
}

func (r *Registry) setBan(instance, reason string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.agents[instance] == nil {
		return fault.New(fault.NotFound, "there is no agent %s", gear.Shown(instance))
	}
	if r.bans[instance] = reason; reason == "" {
		delete(r.bans, instance)
	}
	r.banned++
	r.changes++
	return nil
}

// readBans takes over the bans of other replicas, and ends who is served here.
func (r *Registry) readBans(ctx context.Context, now time.Time) error {
	r.mu.RLock()
	before := r.banned
	r.mu.RUnlock()
	bans, err := r.store.BannedAgents(ctx)
	if err != nil {
		return fmt.Errorf("read bans: %w", err)
	}
	r.mu.Lock()
	if r.banned != before { // made while the store was read: it may not know yet
		r.mu.Unlock()
		return nil
	}
	var end []Agent
	for instance, reason := range bans {
		if r.bans[instance] != reason {
			r.changes++
		}
		if a := r.agents[instance]; a != nil && r.sessions[a.Session] == a {
			b := r.view(a, now)
			b.Banned = reason
			end = append(end, b)
		}
	}
	if len(bans) < len(r.bans) {
		r.changes++
	}
	r.bans = bans
	r.mu.Unlock()
	for i := range end {
		r.opt.End(end[i], "banned: "+end[i].Banned)
	}
	return nil
}

// Banned gives the reason for which an instance is banned, "" when it is not.
func (r *Registry) Banned(instance string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.bans[instance]
}

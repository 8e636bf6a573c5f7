package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// batch bounds one write to the store.
const batch = 500

// Load reads who was registered before the restart. Nobody of them is connected.
func (r *Registry) Load(ctx context.Context) error {
	agents, err := r.store.LoadAgents(ctx)
	if err != nil {
		return fmt.Errorf("load agents: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range agents {
		a := &agents[i]
		if r.agents[a.Instance] != nil || len(r.agents) >= r.opt.MaxAgents {
			continue
		}
		a.Session, a.Replica, a.State = "", "", StateDisconnected
		r.agents[a.Instance] = a
	}
	r.changes++
	return nil
}

// Flush writes what changed since the last one. What could not be written stays
// for the next.
func (r *Registry) Flush(ctx context.Context, now time.Time) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	for {
		save, drop := r.takeBatch(now)
		if len(save)+len(drop) == 0 {
			return nil
		}
		err := r.write(ctx, save, drop)
		if err == nil {
			continue
		}
		r.mu.Lock()
		for i := range save {
			if r.agents[save[i].Instance] != nil {
				r.dirty[save[i].Instance] = struct{}{}
			}
		}
		for _, instance := range drop {
			if r.agents[instance] == nil {
				r.gone[instance] = struct{}{}
			}
		}
		r.mu.Unlock()
		return err
	}
}

func (r *Registry) write(ctx context.Context, save []Agent, drop []string) error {
	if len(save) > 0 {
		if err := r.store.SaveAgents(ctx, save); err != nil {
			return fmt.Errorf("save %d agents: %w", len(save), err)
		}
	}
	if len(drop) > 0 {
		if err := r.store.DeleteAgents(ctx, drop); err != nil {
			return fmt.Errorf("delete %d agents: %w", len(drop), err)
		}
	}
	return nil
}

func (r *Registry) takeBatch(now time.Time) (save []Agent, drop []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for instance := range r.dirty {
		if len(save) == batch {
			break
		}
		delete(r.dirty, instance)
		if a := r.agents[instance]; a != nil {
			save = append(save, r.view(a, now))
		}
	}
	for instance := range r.gone {
		if len(drop) == batch {
			break
		}
		delete(r.gone, instance)
		drop = append(drop, instance)
	}
	return save, drop
}

// AgeOut forgets the disconnected agents whose time is over and tells who went.
func (r *Registry) AgeOut(now time.Time) []Agent {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Agent
	for instance, a := range r.agents {
		if expired(a, now, r.opt.AgeOut) {
			delete(r.agents, instance)
			delete(r.dirty, instance)
			r.gone[instance] = struct{}{}
			out = append(out, *a)
		}
	}
	if len(out) > 0 {
		r.changes++
	}
	return out
}

// Run flushes and ages out until ctx ends, and flushes once more on the way
// out, for at most five seconds.
func (r *Registry) Run(ctx context.Context) {
	t := time.NewTicker(r.opt.FlushEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			now := r.opt.Now()
			r.AgeOut(now)
			if err := r.Flush(ctx, now); err != nil && ctx.Err() == nil {
				r.opt.Log.Warn("agents not saved yet", "error", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			if err := r.Flush(last, r.opt.Now()); err != nil {
				r.opt.Log.Warn("agents not saved at the end", "error", err)
			}
			return
		}
	}
}

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
	// The row must be there before it can be banned.
	if err := r.Flush(ctx, now); err != nil {
		return Agent{}, err
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
	a := r.agents[instance]
	if a == nil {
		return fault.New(fault.NotFound, "there is no agent %s", gear.Shown(instance))
	}
	a.Banned = reason
	r.changes++
	return nil
}

// Banned gives the reason for which an instance is banned, "" when it is not.
func (r *Registry) Banned(instance string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if a := r.agents[instance]; a != nil {
		return a.Banned
	}
	return ""
}

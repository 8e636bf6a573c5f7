package fleet

import (
	"context"
	"fmt"
	"time"
)

const (
	// batch bounds one write to the store.
	batch = 500
	// perFlush bounds the rows of one flush while running: whatever happens to the
	// fleet, the database gets an even load.
	perFlush = 2 * batch
)

// Load reads who is registered and not known here: all, at the start. Nobody of them
// is connected.
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
		a.Session, a.Replica, a.State, a.savedAt = "", "", StateDisconnected, a.SeenAt
		if a.Banned != "" {
			r.bans[a.Instance] = a.Banned
		}
		a.Banned = ""
		r.agents[a.Instance] = a
	}
	r.changes++
	return nil
}

// Flush writes what changed since the last one. What could not be written stays
// for the next.
func (r *Registry) Flush(ctx context.Context, now time.Time) error { return r.flush(ctx, now, 0) }

// flush writes at most limit rows, 0 for no limit.
func (r *Registry) flush(ctx context.Context, now time.Time, limit int) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	for done := 0; limit == 0 || done < limit; {
		save, drop := r.takeBatch(now)
		if len(save)+len(drop) == 0 {
			return nil
		}
		err := r.write(ctx, save, drop, now)
		if err == nil {
			done += len(save) + len(drop)
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
	return nil
}

func (r *Registry) write(ctx context.Context, save []Agent, drop []string, now time.Time) error {
	if len(save) > 0 {
		if err := r.store.SaveAgents(ctx, save); err != nil {
			return fmt.Errorf("save %d agents: %w", len(save), err)
		}
	}
	if len(drop) > 0 {
		if err := r.store.DeleteAgents(ctx, drop, now.Add(-r.ageOut())); err != nil {
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
			a.savedAt = now
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

func (r *Registry) ageOut() time.Duration {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.opt.AgeOut
}

// AgeOut forgets the disconnected agents whose time is over and tells who went. Only
// who leads drops their rows: it alone can be sure to be the only one.
func (r *Registry) AgeOut(now time.Time) []Agent {
	leading := r.opt.Leading()
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Agent
	for instance, a := range r.agents {
		if r.bans[instance] == "" && expired(a, now, r.opt.AgeOut) {
			delete(r.agents, instance)
			delete(r.dirty, instance)
			delete(r.elsewhere, instance)
			if leading {
				r.gone[instance] = struct{}{}
			}
			out = append(out, *a)
		}
	}
	if len(out) > 0 {
		r.changes++
	}
	return out
}

// freshen has the rows of agents that have been connected for long written again, so
// that no row looks abandoned.
func (r *Registry) freshen(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.sessions {
		if now.Sub(a.savedAt) > r.opt.AgeOut/4 {
			r.touch(a)
		}
	}
}

// Run flushes and ages out until ctx ends, and flushes once more on the way
// out, for at most five seconds.
func (r *Registry) Run(ctx context.Context) {
	t := time.NewTicker(r.opt.FlushEvery)
	defer t.Stop()
	led := true // what Load read at the start
	for {
		select {
		case <-t.C:
			now := r.opt.Now()
			if err := r.turn(ctx, now, &led); err != nil && ctx.Err() == nil {
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

// turnBudget bounds a turn: a database that says nothing must not stop the ageing.
const turnBudget = 10 * time.Second

func (r *Registry) turn(ctx context.Context, now time.Time, led *bool) error {
	ctx, cancel := context.WithTimeout(ctx, turnBudget)
	defer cancel()
	// Who begins to lead ages out also those whom another had already forgotten.
	if leading := r.opt.Leading(); leading != *led {
		if leading {
			if err := r.Load(ctx); err != nil {
				return err
			}
		}
		*led = leading
	}
	r.AgeOut(now)
	r.freshen(now)
	if r.opt.Codec != nil {
		if err := r.readBans(ctx, now); err != nil {
			return err
		}
	}
	return r.flush(ctx, now, perFlush)
}

package alert

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// batch is how many alerts one message tells of.
	batch = 20
	// sendBudget bounds one attempt.
	sendBudget = 10 * time.Second
	// idle is how often a sink's queue is looked at without being woken.
	idle = 2 * time.Second
)

// post runs one sender a sink, while the lease is held: a sink that hangs delays
// nobody but itself.
type post struct {
	cfg     Config
	mu      sync.Mutex
	senders map[string]*sender
	all     sync.WaitGroup
}

type sender struct {
	sink   *Sink
	ctx    context.Context
	cancel context.CancelFunc
	woken  chan struct{}
}

func newPost(cfg Config) *post { return &post{cfg: cfg, senders: map[string]*sender{}} }

// sinks starts senders of new sinks and stops those of changed and deleted ones.
func (p *post) sinks(_ context.Context, sinks []*Sink) {
	p.mu.Lock()
	defer p.mu.Unlock()
	keep := map[string]bool{}
	for _, s := range sinks {
		if !s.Enabled {
			continue
		}
		keep[s.ID] = true
		old := p.senders[s.ID]
		if old != nil && old.sink.Version == s.Version {
			continue
		}
		if old != nil {
			old.cancel()
		}
		x := &sender{sink: s, woken: make(chan struct{}, 1)}
		x.ctx, x.cancel = context.WithCancel(context.Background())
		p.senders[s.ID] = x
		p.all.Go(func() { p.run(x) })
	}
	for id, x := range p.senders {
		if !keep[id] {
			x.cancel()
			delete(p.senders, id)
		}
	}
}

func (p *post) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.senders {
		select {
		case x.woken <- struct{}{}:
		default:
		}
	}
}

// stop ends every sender and waits for them; an attempt under way is cut and
// made again by the successor.
func (p *post) stop() {
	p.mu.Lock()
	for _, x := range p.senders {
		x.cancel()
	}
	p.mu.Unlock()
	p.all.Wait()
}

func (p *post) run(x *sender) {
	look := time.NewTicker(idle)
	defer look.Stop()
	for {
		select {
		case <-x.ctx.Done():
			return
		case <-x.woken:
		case <-look.C:
		}
		n, err := p.deliver(x)
		if err != nil && x.ctx.Err() == nil {
			p.cfg.Log.Warn("sink not told", "sink", x.sink.Name, "error", err)
		}
		if n == 0 {
			continue
		}
		// A sink's own limit: chats cut off who talks too fast.
		select {
		case <-x.ctx.Done():
			return
		case <-time.After(p.cfg.Sender.Pace(x.sink.Kind)):
		}
	}
}

// deliver sends what is due as one message and tells how many it was.
func (p *post) deliver(x *sender) (int, error) {
	now := p.cfg.Now()
	due, err := p.cfg.Store.DueDeliveries(x.ctx, x.sink.ID, now, batch)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	notices := make([]Notice, 0, len(due))
	for _, d := range due {
		a, err := p.cfg.Store.GetAlert(x.ctx, d.Alert)
		if err != nil {
			return 0, err
		}
		n := Notice{ID: fmt.Sprintf("%s/%s", d.Alert, d.Event), Event: d.Event, Alert: a}
		if p.cfg.Link != nil {
			n.Link = p.cfg.Link(a.ID)
		}
		notices = append(notices, n)
	}
	ctx, cancel := context.WithTimeout(x.ctx, sendBudget)
	sent := p.cfg.Sender.Send(ctx, x.sink, notices)
	cancel()
	if x.ctx.Err() != nil {
		return len(due), sent // cut: whether it arrived is not known, and the successor asks again
	}
	now = p.cfg.Now()
	for i := range due {
		due[i] = attempted(due[i], sent, now)
	}
	ctx, cancel = context.WithTimeout(x.ctx, storeBudget)
	defer cancel()
	if err := p.cfg.Store.SaveDeliveries(ctx, due); err != nil {
		return len(due), err
	}
	return len(due), sent
}

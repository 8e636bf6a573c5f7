package app

import (
	"context"
	"sync"

	"github.com/allspark/allspark/server/agentapi"
	"github.com/allspark/allspark/server/control"
	"github.com/allspark/allspark/server/push"
)

// publisher turns journalled shifts into frames and hands them to the hub. The
// set of an app x IDC is encoded once for all of its streams, and a level table
// once for all sets that refer to it.
type publisher struct {
	hub *push.Hub

	mu     sync.Mutex
	frames map[string]any // by table hash
	used   map[push.Key]map[string]any
	shifts map[push.Key]*control.Shift // in force
}

func newPublisher(hub *push.Hub) *publisher {
	return &publisher{hub: hub, frames: map[string]any{}, used: map[push.Key]map[string]any{}, shifts: map[push.Key]*control.Shift{}}
}

// Publish implements control.Publisher.
func (p *publisher) Publish(_ context.Context, s *control.Shift) error {
	state, err := agentapi.Encode(&s.Set, nil)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	state.Tables = make(map[string]any, len(s.Tables))
	for i := range s.Tables {
		t := &s.Tables[i]
		frame, ok := p.frames[t.Hash]
		if !ok {
			if frame, err = agentapi.NewTableFrame(t); err != nil {
				return err
			}
			p.frames[t.Hash] = frame
		}
		state.Tables[t.Hash] = frame
	}
	key := push.Key{App: s.App, IDC: s.IDC}
	p.hub.Publish(key, state)
	p.used[key] = state.Tables
	p.shifts[key] = s
	p.forget()
	return nil
}

// forget drops the frames that no current set refers to.
func (p *publisher) forget() {
	keep := make(map[string]any, len(p.frames))
	for _, tables := range p.used {
		for hash, frame := range tables {
			keep[hash] = frame
		}
	}
	p.frames = keep
}

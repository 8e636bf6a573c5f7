package app

import (
	"context"
	"slices"
	"sync"

	"github.com/allspark/allspark/proto/gear"
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
	named  map[nameVersion]string      // IDs of the templates that orders in force name
}

// nameVersion is what an order says of its template.
type nameVersion struct {
	name   string
	number int
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
	old := p.shifts[key]
	p.shifts[key] = s
	if old == nil || !slices.Equal(old.Basis.Versions, s.Basis.Versions) {
		p.index()
	}
	p.forget()
	return nil
}

// index finds templates by what orders say of them; p.mu is held.
func (p *publisher) index() {
	p.named = map[nameVersion]string{}
	for _, x := range p.shifts {
		for _, v := range x.Basis.Versions {
			k := nameVersion{v.Name, v.Number}
			if have, ok := p.named[k]; !ok || v.TemplateID < have { // a name may have passed from one to another
				p.named[k] = v.TemplateID
			}
		}
	}
}

// templateOf gives the ID of an order's template, "" where no set in force names it.
func (p *publisher) templateOf(o *gear.Order) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.named[nameVersion{o.Template, o.TemplateVersion}]
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

package restapi

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/push"
)

var eventType = reflect.TypeFor[api.Event]()

// How often the pump looks. The audit log and the journal are the feeds: they
// carry what other replicas did too.
const (
	pumpEvery     = 500 * time.Millisecond
	progressEvery = 100 * time.Millisecond
	pumpBatch     = 200
)

// pump turns what the rooms record into events.
type pumpState struct {
	entry    int64        // newest audit entry published
	shift    gear.Version // newest shift published
	fleet    uint64
	figures  time.Time
	progress map[push.Key]string // what was last said of each key
}

func (s *Server) pump(ctx context.Context) {
	st := &pumpState{progress: map[push.Key]string{}}
	for ctx.Err() == nil && s.seek(ctx, st) != nil {
		select { // the database is away: nothing is known to be new
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	moved, stop := s.deps.Push.Watch()
	defer stop()
	look := time.NewTicker(pumpEvery)
	defer look.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-look.C:
			s.pumpOnce(ctx, st, now)
		case <-moved:
			// A fan-out of thousands of answers is a few events, not thousands.
			if d := progressEvery - time.Since(last); d > 0 {
				select {
				case <-ctx.Done():
					return
				case <-time.After(d):
				}
			}
			last = time.Now()
			s.pumpProgress(st, last)
		}
	}
}

// seek starts behind everything that is recorded already.
func (s *Server) seek(ctx context.Context, st *pumpState) error {
	entries, err := s.deps.Audit.ListAudit(ctx, audit.Filter{Limit: 1})
	if err != nil {
		return err
	}
	for _, e := range entries {
		st.entry = e.Seq
	}
	latest, err := s.deps.Control.LatestShifts(ctx)
	if err != nil {
		return err
	}
	for _, x := range latest {
		if st.shift.Less(x.Version) {
			st.shift = x.Version
		}
	}
	return nil
}

func (s *Server) pumpOnce(ctx context.Context, st *pumpState, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.pumpShifts(ctx, st); err != nil && ctx.Err() == nil {
		s.deps.Log.Warn("restapi: journal cannot be followed right now", "err", err)
	}
	if err := s.pumpAudit(ctx, st); err != nil && ctx.Err() == nil {
		s.deps.Log.Warn("restapi: audit log cannot be followed right now", "err", err)
	}
	s.pumpProgress(st, now)
	if n := s.deps.Fleet.Changes(); n != st.fleet {
		st.fleet = n
		for _, p := range s.deps.Fleet.Places() {
			s.hub.publish(api.Event{Type: "agent", At: now.UTC(), App: p.App, IDC: p.IDC})
		}
	}
	if now.Sub(st.figures) >= time.Second && s.hub.size() > 0 {
		st.figures = now
		s.pumpFigures(ctx, now)
	}
}

func (s *Server) pumpShifts(ctx context.Context, st *pumpState) error {
	shifts, err := s.deps.Control.ShiftsSince(ctx, st.shift, pumpBatch)
	for _, x := range shifts {
		st.shift = x.Version
		s.shiftsMemo.drop()
		s.hub.publish(api.Event{Type: "change", At: x.At.UTC(), App: x.App, IDC: x.IDC, Data: rawOf(toChange(x))})
	}
	return err
}

// kinds of audit entries that are events of their own, by event type.
var kinds = map[string]string{"template": "template", "binding": "binding", "claim": "claim", "agent": "agent", "settings": "status", "scene": "scene", "allocation": "scene", "alert": "alert", "alert-silence": "alert", "alert-sink": "alert", "alert-rule": "alert"}

func (s *Server) pumpAudit(ctx context.Context, st *pumpState) error {
	// The log lists newest first; what came since is at its head.
	var fresh []audit.Entry
	for f := (audit.Filter{Limit: pumpBatch}); ; {
		batch, err := s.deps.Audit.ListAudit(ctx, f)
		if err != nil {
			return err
		}
		done := len(batch) < pumpBatch
		for _, e := range batch {
			if e.Seq <= st.entry {
				done = true
				break
			}
			fresh = append(fresh, e)
		}
		if done || len(fresh) > RingSize {
			break
		}
		f.Before = batch[len(batch)-1].Seq
	}
	for i := len(fresh) - 1; i >= 0; i-- {
		e := fresh[i]
		st.entry = e.Seq
		if kind, ok := kinds[e.Kind]; ok {
			if kind == "claim" {
				s.claimsMemo.drop()
			}
			if e.Kind == "settings" {
				s.applyStored(ctx)
			}
			data, _ := json.Marshal(map[string]string{"verb": e.Verb, "name": e.Name, "actor": e.Actor}) // strings cannot fail
			s.hub.publish(api.Event{Type: kind, At: e.At.UTC(), App: e.App, IDC: e.IDC, Object: e.Object, Data: data})
		}
	}
	return nil
}

// applyStored puts settings in force that another replica may have changed.
func (s *Server) applyStored(ctx context.Context) {
	v, err := s.settings(ctx)
	if err != nil {
		s.deps.Log.Warn("restapi: changed settings cannot be read yet", "err", err)
		return
	}
	if s.deps.Apply != nil {
		s.deps.Apply(*v)
	}
}

func (s *Server) pumpProgress(st *pumpState, now time.Time) {
	for _, p := range s.deps.Push.All() {
		d := toProgress(p, now)
		said := rawOf(struct {
			V          api.Version
			Hold, Of   int
			Stragglers []api.Straggler
			Refusals   []api.AckRefusal
		}{d.Version, d.Hold, d.Of, d.Stragglers, d.Refusals})
		if st.progress[p.Key] == string(said) {
			continue
		}
		st.progress[p.Key] = string(said)
		s.hub.publish(api.Event{Type: "progress", At: now.UTC(), App: p.Key.App, IDC: p.Key.IDC, Data: rawOf(d)})
	}
}

// pumpFigures sends live figures, one event an app x IDC.
func (s *Server) pumpFigures(ctx context.Context, now time.Time) {
	all, err := s.points(ctx, func(_, _ string) bool { return true })
	if err != nil {
		return // pumpShifts has said so
	}
	byPlace := map[fleet.Place][]api.PointState{}
	for _, p := range all {
		k := fleet.Place{App: p.App, IDC: p.IDC}
		byPlace[k] = append(byPlace[k], p)
	}
	for k, points := range byPlace {
		s.hub.live(api.Event{Type: "point", At: now.UTC(), App: k.App, IDC: k.IDC, Data: rawOf(points)})
	}
}

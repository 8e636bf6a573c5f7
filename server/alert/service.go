package alert

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/fault"
)

// Service is what people do with alerts.
type Service struct {
	store  Store
	sender Sender
	now    func() time.Time
	nudge  func()
}

// NewService makes a service; nudge is told of every change.
func NewService(store Store, sender Sender, now func() time.Time, nudge func()) *Service {
	return &Service{store, sender, now, nudge}
}

// Bounds of what people write.
const (
	maxReason  = 500
	maxSilence = 30 * 24 * time.Hour
)

// Get finds an alert.
func (s *Service) Get(ctx context.Context, id string) (*Alert, error) {
	return s.store.GetAlert(ctx, id)
}

// List gives alerts, newest first.
func (s *Service) List(ctx context.Context, f Filter) ([]*Alert, error) {
	return s.store.ListAlerts(ctx, f)
}

// Deliveries tells who was told of an alert.
func (s *Service) Deliveries(ctx context.Context, id string) ([]Delivery, error) {
	return s.store.Deliveries(ctx, id, "", 500)
}

// Newest gives the newest deliveries of a sink.
func (s *Service) Newest(ctx context.Context, sink string, limit int) ([]Delivery, error) {
	return s.store.Deliveries(ctx, "", sink, limit)
}

// Ack notes who looks after an alert.
func (s *Service) Ack(ctx context.Context, id, note string, c audit.Change) (*Alert, error) {
	if len(note) > maxReason {
		return nil, fault.WithProblems(gear.Problems{{Path: "note", Code: gear.CodeLength, Message: "note is too long"}}, "the note is not valid")
	}
	c.Verb, c.Reason = "ack", note
	a, err := s.store.AckAlert(ctx, id, note, c)
	if err == nil {
		s.nudge()
	}
	return a, err
}

// Silences gives those that end after from.
func (s *Service) Silences(ctx context.Context, from time.Time) ([]Silence, error) {
	return s.store.ListSilences(ctx, from)
}

// Covering gives the silence that covers an alert now, nil when none does.
func Covering(all []Silence, a *Alert, now time.Time) *Silence { return covered(all, a, now) }

// Silence keeps alerts from being sent. It always has an end and a reason.
func (s *Service) Silence(ctx context.Context, x *Silence, c audit.Change) (*Silence, error) {
	n, now := *x, s.now()
	if n.Start.IsZero() || n.Start.Before(now) {
		n.Start = now
	}
	var ps gear.Problems
	switch d := n.End.Sub(n.Start); {
	case n.End.IsZero():
		ps.Add("end", gear.CodeRequired, "a silence wants an end")
	case d <= 0:
		ps.Add("end", gear.CodeRange, "end must be ahead, and after start")
	case d > maxSilence:
		ps.Add("end", gear.CodeRange, "a silence is at most 30 days long")
	}
	if n.Reason = strings.TrimSpace(n.Reason); n.Reason == "" || len(n.Reason) > maxReason {
		ps.Add("reason", gear.CodeRequired, fmt.Sprintf("reason wants 1 to %d characters", maxReason))
	}
	if n.Kind != "" && !n.Kind.known() {
		ps.Add("kind", gear.CodeEnum, "there is no kind of alert "+gear.Shown(string(n.Kind)))
	}
	if len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the silence is not valid")
	}
	c.Verb, c.App, c.IDC, c.Reason = "create", n.Scope.App, n.Scope.IDC, n.Reason
	if err := s.store.CreateSilence(ctx, &n, c); err != nil {
		return nil, err
	}
	s.nudge()
	return &n, nil
}

// EndSilence ends one now.
func (s *Service) EndSilence(ctx context.Context, id string, c audit.Change) (*Silence, error) {
	c.Verb = "end"
	x, err := s.store.EndSilence(ctx, id, c)
	if err == nil {
		s.nudge()
	}
	return x, err
}

func (k Kind) known() bool {
	for _, x := range Kinds() {
		if x == k {
			return true
		}
	}
	return false
}

// Sinks gives all by name.
func (s *Service) Sinks(ctx context.Context) ([]*Sink, error) { return s.store.ListSinks(ctx) }

// Sink finds one by id or name.
func (s *Service) Sink(ctx context.Context, id string) (*Sink, error) {
	return s.store.GetSink(ctx, id)
}

// CreateSink makes a sink.
func (s *Service) CreateSink(ctx context.Context, x *Sink, c audit.Change) (*Sink, error) {
	n := *x
	if ps := n.Check(); len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the sink is not valid")
	}
	c.Verb = "create"
	if err := s.store.CreateSink(ctx, &n, c); err != nil {
		return nil, fmt.Errorf("create sink %q: %w", n.Name, err)
	}
	s.nudge()
	return &n, nil
}

// UpdateSink replaces one whose newest version is x.Version. An address or secret
// of "" keeps the one that is stored: neither is ever shown. Another host needs the
// secret again, so that who may not know it cannot have it sent elsewhere.
func (s *Service) UpdateSink(ctx context.Context, id string, x *Sink, c audit.Change) (*Sink, error) {
	old, err := s.store.GetSink(ctx, id)
	if err != nil {
		return nil, err
	}
	n := *x
	n.ID = old.ID
	moved := n.URL != "" && n.URL != old.URL || n.Kind != old.Kind
	if n.URL == "" {
		n.URL = old.URL
	}
	if n.Secret == "" && !moved {
		n.Secret = old.Secret
	}
	if ps := n.Check(); len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the sink is not valid")
	}
	c.Verb = "update"
	if err := s.store.UpdateSink(ctx, &n, c); err != nil {
		return nil, fmt.Errorf("update sink %q: %w", n.Name, err)
	}
	s.nudge()
	return &n, nil
}

// DeleteSink removes one; what waits for it is not sent.
func (s *Service) DeleteSink(ctx context.Context, id string, version int64, c audit.Change) error {
	x, err := s.store.GetSink(ctx, id)
	if err != nil {
		return err
	}
	c.Verb = "delete"
	if err := s.store.DeleteSink(ctx, x.ID, version, c); err != nil {
		return fmt.Errorf("delete sink %q: %w", x.Name, err)
	}
	s.nudge()
	return nil
}

// testBudget is how long a person waits for a sink that hangs.
const testBudget = 8 * time.Second

// TestSink sends a message that says it is a test, and tells what became of it.
func (s *Service) TestSink(ctx context.Context, id, who string) error {
	x, err := s.store.GetSink(ctx, id)
	if err != nil {
		return err
	}
	now := s.now()
	a := &Alert{
		ID: "test", Fingerprint: "test", Kind: BadMachine, Severity: Warning, Scope: Scope{App: "allspark", IDC: "test"},
		Reason: "This is a test of sink " + x.Name + ", sent by " + who + ". Nothing is wrong.", StartedAt: now, FiredAt: now,
	}
	n := Notice{ID: fmt.Sprintf("test/%d", now.UnixNano()), Event: Test, Alert: a}
	ctx, cancel := context.WithTimeout(ctx, testBudget)
	defer cancel()
	if err := s.sender.Send(ctx, x, []Notice{n}); err != nil {
		return fault.Wrap(fault.Unavailable, err, "sink %q did not take the message: %s", x.Name, err)
	}
	return nil
}

// Rules gives every rule, defaults where nothing was saved.
func (s *Service) Rules(ctx context.Context) (Rules, error) {
	saved, err := s.store.ListRules(ctx)
	if err != nil {
		return nil, err
	}
	return Merged(saved), nil
}

// PutRule replaces a rule whose newest version is r.Version.
func (s *Service) PutRule(ctx context.Context, r *Rule, c audit.Change) (*Rule, error) {
	if !r.Kind.known() {
		return nil, fault.New(fault.NotFound, "there is no kind of alert %s", gear.Shown(string(r.Kind)))
	}
	n := *r
	if ps := n.Check(); len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the rule is not valid")
	}
	c.Verb = "update"
	if err := s.store.PutRule(ctx, &n, c); err != nil {
		return nil, err
	}
	s.nudge()
	return &n, nil
}

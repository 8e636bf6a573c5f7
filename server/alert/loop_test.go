package alert

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/audit"
)

// picky takes everything but what concerns one app.
type picky struct {
	Store
	bad              string
	raised, resolved []string
	notified         int
}

var errPicky = errors.New("not this one")

func (p *picky) ListRules(context.Context) ([]Rule, error)                  { return nil, nil }
func (p *picky) ListSinks(context.Context) ([]*Sink, error)                 { return nil, nil }
func (p *picky) ListSilences(context.Context, time.Time) ([]Silence, error) { return nil, nil }
func (p *picky) ListAlerts(context.Context, Filter) ([]*Alert, error)       { return nil, nil }

func (p *picky) RaiseAlert(_ context.Context, a *Alert, _ audit.Change) error {
	if a.Scope.App == p.bad {
		return errPicky
	}
	a.ID = a.Scope.App
	p.raised = append(p.raised, a.Scope.App)
	return nil
}

func (p *picky) ResolveAlert(_ context.Context, a *Alert, _ []Delivery, _ audit.Change) error {
	if a.Scope.App == p.bad {
		return errPicky
	}
	p.resolved = append(p.resolved, a.Scope.App)
	return nil
}

func (p *picky) Notify(_ context.Context, id string, _ []Delivery) error {
	if id == p.bad {
		return errPicky
	}
	p.notified++
	return nil
}

// An alert that the store does not take keeps no other from being raised, told and
// resolved; it is tried again.
func TestOneAlertThatCannotBeWrittenHoldsUpNoOther(t *testing.T) {
	now := start
	p := &picky{bad: "aa"}
	l := NewLoop(Config{Store: p, Now: func() time.Time { return now }})
	st, send := &leader{}, newPost(l.cfg)
	look := func(apps ...string) error {
		now = now.Add(time.Second)
		l.seen, l.at = nil, now
		for _, app := range apps {
			l.seen = append(l.seen, Sighting{Kind: PlanMissed, Scope: Scope{App: app}})
		}
		return l.once(t.Context(), st, send, false)
	}
	require.ErrorIs(t, look("aa", "bb", "cc"), errPicky)
	require.Equal(t, []string{"bb", "cc"}, p.raised)
	require.Equal(t, 2, p.notified)
	p.bad = ""
	require.NoError(t, look("aa", "bb", "cc"))
	require.Equal(t, []string{"bb", "cc", "aa"}, p.raised)
	p.bad = "bb"
	for range 12 {
		_ = look()
	}
	require.Equal(t, []string{"aa", "cc"}, p.resolved)
	p.bad = ""
	require.NoError(t, look())
	require.Equal(t, []string{"aa", "cc", "bb"}, p.resolved)
}

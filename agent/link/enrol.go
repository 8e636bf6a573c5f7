package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/metadata"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
)

const (
	enrolTimeout = 10 * time.Second

	// renewPart of a credential's life is left when it is renewed.
	renewPart = 4
	renewMin  = 10 * time.Second
)

// credential is what the agent proves itself with after enrolment.
type credential struct {
	bearer  string
	until   time.Time // reference time; zero: no end
	settled bool      // until was read by reference time, not by the machine's clock
	expires time.Time // local clock
	renew   time.Time
}

// maxLife is how long a credential without an end is kept without asking.
const maxLife = 365 * 24 * time.Hour

// settle finds out when the credential ends by this machine's clock, which may be
// off by more than it lives: ref is the estimate of reference time at now.
func (c *credential) settle(ref, now time.Time, known bool) {
	life := maxLife
	if !c.until.IsZero() {
		life = min(c.until.Sub(ref), maxLife)
	}
	c.expires = now.Add(life)
	c.renew = c.expires.Add(-max(life/renewPart, min(renewMin, life/2)))
	c.settled = known
}

// valid reports whether a stream may be opened with it.
func (c credential) valid(now time.Time) bool { return c.bearer != "" && now.Before(c.renew) }

// renewable reports whether it can still be traded for a fresh one.
func (c credential) renewable(now time.Time) bool { return c.bearer != "" && now.Before(c.expires) }

var errNoToken = errors.New("no enrolment token, and no credential to renew")

// authorised adds the credential to a call.
func (c credential) authorised(ctx context.Context) context.Context {
	if c.bearer == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+c.bearer)
}

// enrol gets a credential: for one that is still good when there is one, because
// the enrolment token may have ended long ago, else for the token.
func (l *Link) enrol(ctx context.Context, client agentv1.AgentServiceClient) error {
	ctx, cancel := context.WithTimeout(ctx, enrolTimeout)
	defer cancel()
	l.mu.Lock()
	old, instance := l.credential, l.instance
	l.mu.Unlock()
	ask := &agentv1.EnrollRequest{App: l.cfg.App, Idc: l.cfg.IDC, Host: l.cfg.Host, Instance: instance}
	var r *agentv1.EnrollResponse
	err := errNoToken
	if old.renewable(time.Now()) {
		r, err = client.Enroll(old.authorised(ctx), ask)
	}
	if err != nil && l.cfg.EnrolToken != "" {
		ask.Token = l.cfg.EnrolToken
		r, err = client.Enroll(ctx, ask)
	}
	if err != nil {
		return fmt.Errorf("enrol: %w", err)
	}
	c := credential{bearer: r.GetCredential()}
	if r.GetExpiresAtNs() != 0 {
		c.until = time.Unix(0, r.GetExpiresAtNs())
	}
	ref, _, known := l.clock.reference()
	c.settle(ref, time.Now(), known)
	l.mu.Lock()
	l.credential = c
	l.mu.Unlock()
	return nil
}

// settle reads the credential's end again once reference time is known: before the
// first exchange there is only the machine's clock to read it by.
func (l *Link) settle() {
	ref, _, known := l.clock.reference()
	l.mu.Lock()
	defer l.mu.Unlock()
	if known && !l.credential.settled && l.credential.bearer != "" {
		l.credential.settle(ref, time.Now(), true)
	}
}

package restapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
)

// cookieName's prefix makes the browser keep it to this host, this path and
// secure (or loopback) origins.
const cookieName = "__Host-allspark"

// caller is who makes this request, and from where.
type caller struct {
	*auth.Identity
	via       string
	address   string
	requestID string
	glass     string // leave to change things in a freeze
}

// change starts the audit record of what the caller does.
func (c *caller) change(reason, key string) audit.Change {
	return audit.Change{
		Actor: c.Actor(), Via: c.via, Reason: reason, RequestID: c.requestID, Address: c.address, IdempotencyKey: key, Glass: c.glass,
	}
}

// may refuses with Forbidden unless the caller can do v on app x IDC.
func (c *caller) may(v auth.Verb, app, idc string) error {
	if c.Can(v, app, idc) {
		return nil
	}
	return fault.New(fault.Forbidden, "you may not %s on app %s in IDC %s", v, gear.Shown(app), gear.Shown(idc))
}

// sees reports whether something of scope app x IDC concerns the caller: "*" in
// the scope concerns everybody who sees any part of it.
func (c *caller) sees(app, idc string) bool { return seesScope(c.Identity, auth.Read, app, idc) }

func seesScope(i *auth.Identity, v auth.Verb, app, idc string) bool {
	for _, g := range i.Grants {
		a, d := app, idc
		if a == gear.Any || a == "" {
			a = g.App
		}
		if d == gear.Any || d == "" {
			d = g.IDC
		}
		if g.Allows(v, a, d) {
			return true
		}
	}
	return false
}

type ctxKey int

const (
	keyCaller ctxKey = iota
	keyRequestID
	keyAddress
)

func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(keyCaller).(*caller)
	return c
}

func requestID(ctx context.Context) string {
	s, _ := ctx.Value(keyRequestID).(string)
	return s
}

func addressOf(ctx context.Context) string {
	s, _ := ctx.Value(keyAddress).(string)
	return s
}

// authenticate is huma's middleware: it knows the operation, so it can refuse
// before a byte of the body is read.
func (s *Server) authenticate(ctx huma.Context, next func(huma.Context)) {
	access, _ := ctx.Operation().Metadata[metaAccess].(access)
	if access.public {
		next(ctx)
		return
	}
	r := humagin.Unwrap(ctx).Request
	c, err := s.identify(r)
	if err == nil && access.verb != "" && !c.CanSomewhere(access.verb) {
		err = fault.New(fault.Forbidden, "your role does not include %q", access.verb)
	}
	if err != nil {
		s.writeFailure(ctx, asFailure(err, requestID(r.Context())))
		return
	}
	next(huma.WithValue(ctx, keyCaller, c))
}

// identify finds the credential: a bearer token, else the console's cookie. The
// two have different audiences, so a stolen one cannot be used as the other.
func (s *Server) identify(r *http.Request) (*caller, error) {
	c := &caller{address: addressOf(r.Context()), requestID: requestID(r.Context()), glass: r.Header.Get("Break-Glass")}
	var err error
	if h := r.Header.Get("Authorization"); h != "" {
		scheme, token, _ := strings.Cut(h, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return nil, fault.New(fault.Unauthorized, "the Authorization header wants Bearer TOKEN")
		}
		c.via = "api"
		if strings.HasPrefix(r.UserAgent(), "allspark-cli/") {
			c.via = "cli"
		}
		c.Identity, err = s.deps.Auth.Authenticate(strings.TrimSpace(token), auth.AudienceCLI)
		return c, err
	}
	cookie, cerr := r.Cookie(cookieName)
	if cerr != nil {
		return nil, fault.New(fault.Unauthorized, "sign in first")
	}
	c.via = "console"
	c.Identity, err = s.deps.Auth.Authenticate(cookie.Value, auth.AudienceConsole)
	return c, err
}

func (s *Server) writeFailure(ctx huma.Context, f *failure) {
	for k, v := range f.GetHeaders() {
		ctx.SetHeader(k, v[0])
	}
	ctx.SetHeader("Content-Type", problemType)
	ctx.SetStatus(f.Status)
	if err := s.api.Marshal(ctx.BodyWriter(), "application/json", f.Problem); err != nil {
		s.deps.Log.Debug("restapi: client left", "err", err)
	}
}

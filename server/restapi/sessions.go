package restapi

import (
	"context"
	"net/http"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/audit"
	"github.com/allspark/allspark/server/auth"
)

type loginInput struct {
	UserAgent string `header:"User-Agent" hidden:"true"`
	Body      api.Login
}

type cookieOutput[T any] struct {
	SetCookie http.Cookie `header:"Set-Cookie" doc:"The session, for browsers."`
	Body      T
}

type goneOutput struct {
	SetCookie http.Cookie `header:"Set-Cookie" doc:"Takes the session's cookie away."`
}

func (s *Server) sessionRoutes() {
	handle(s, endpoint{
		method: http.MethodPost, path: "/sessions", id: "login", tag: "Sessions", public: true, status: http.StatusCreated,
		summary: "Sign in", errors: []int{http.StatusUnauthorized},
		description: "Sets the console's cookie, or with bearer returns a token for programs. Limited per account and address.",
	}, s.login)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/sessions/current", id: "logout", tag: "Sessions", status: http.StatusNoContent,
		summary: "Sign out", description: "Ends this session on every replica and cuts its event streams within seconds.",
	}, s.logout)
	handle(s, endpoint{
		method: http.MethodGet, path: "/me", id: "me", tag: "Sessions",
		summary: "Who am I", description: "The caller and what the caller may do where.",
	}, func(_ context.Context, c *caller, _ *struct{}) (*plain[api.Me], error) {
		return &plain[api.Me]{me(c.Identity)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/me/password", id: "change-password", tag: "Sessions", status: http.StatusNoContent,
		summary: "Change my password", description: "Needs the current one. Cuts every session of the caller, this one too.",
	}, func(ctx context.Context, c *caller, in *struct{ Body api.Password }) (*goneOutput, error) {
		err := s.deps.Auth.ChangePassword(ctx, c.Identity, in.Body.Current, in.Body.New, c.address, c.change("", ""))
		return &goneOutput{expired()}, err
	})
}

func (s *Server) login(ctx context.Context, _ *caller, in *loginInput) (*cookieOutput[api.Session], error) {
	audience, via := auth.AudienceConsole, "console"
	if in.Body.Bearer {
		audience, via = auth.AudienceCLI, "cli"
	}
	address := addressOf(ctx)
	ch := audit.Change{Via: via, Address: address, RequestID: requestID(ctx)}
	session, err := s.deps.Auth.Login(ctx, in.Body.Name, in.Body.Password, audience, address, ch)
	if err != nil {
		return nil, err
	}
	out := &cookieOutput[api.Session]{Body: api.Session{Me: me(session.Identity), Expires: session.Identity.Expires}}
	if in.Body.Bearer {
		out.Body.Token = session.Token
		out.SetCookie = expired() // a program's sign-in leaves no cookie behind
		return out, nil
	}
	out.SetCookie = cookie(session.Token, int(time.Until(session.Identity.Expires).Seconds()))
	return out, nil
}

func (s *Server) logout(ctx context.Context, c *caller, _ *struct{}) (*goneOutput, error) {
	return &goneOutput{expired()}, s.deps.Auth.Logout(ctx, c.Identity, c.change("", ""))
}

func cookie(value string, age int) http.Cookie {
	return http.Cookie{Name: cookieName, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

func expired() http.Cookie { return cookie("", -1) }

func me(i *auth.Identity) api.Me {
	m := api.Me{
		Name: i.Name, Display: i.Display, Kind: string(i.Kind), Grants: toGrants(i.Grants),
		Verbs:  verbNames(auth.Verbs(i.CanSomewhere)),
		Global: verbNames(auth.Verbs(func(v auth.Verb) bool { return i.Can(v, gear.Any, gear.Any) })),
	}
	m.Expires = timePtr(i.Expires)
	return m
}

func verbNames(vs []auth.Verb) []string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return out
}

func toGrants(gs []auth.Grant) []api.Grant {
	out := make([]api.Grant, len(gs))
	for i, g := range gs {
		out[i] = api.Grant{Role: string(g.Role), App: g.App, IDC: g.IDC, Verb: string(g.Verb)}
	}
	return out
}

func fromGrants(gs []api.Grant) []auth.Grant {
	out := make([]auth.Grant, len(gs))
	for i, g := range gs {
		out[i] = auth.Grant{Role: auth.Role(g.Role), App: g.App, IDC: g.IDC, Verb: auth.Verb(g.Verb)}
	}
	return out
}

// timePtr leaves out the zero time.
func timePtr(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}

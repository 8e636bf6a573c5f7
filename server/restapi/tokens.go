package restapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
)

type TokenPath struct {
	Token string `path:"token" maxLength:"36" doc:"Token id."`
}

func (s *Server) tokenRoutes() {
	const tag = "Access"
	handle(s, endpoint{
		method: http.MethodGet, path: "/tokens", id: "list-tokens", tag: tag, verb: auth.Access,
		summary: "List API tokens", description: "Those whose grants the caller holds; never their secrets.",
	}, func(ctx context.Context, c *caller, in *Paged) (*plain[api.Page[api.Token]], error) {
		all, err := s.deps.Auth.Tokens(ctx)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(t *auth.Token) bool { return c.mayGrant(t.Grants) != nil })
		slices.SortFunc(all, func(a, b *auth.Token) int { return cmp.Compare(a.ID, b.ID) })
		return pageOf(all, *in, func(t *auth.Token) string { return t.ID }, toToken)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/tokens", id: "create-token", tag: tag, verb: auth.Access, status: http.StatusCreated,
		summary: "Create an API token", description: "The secret is returned this once. A token holds no more than its maker.",
	}, s.createToken)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/tokens/{token}", id: "revoke-token", tag: tag, verb: auth.Access, status: http.StatusNoContent,
		summary: "Revoke an API token", description: "It is refused everywhere within seconds.",
	}, func(ctx context.Context, c *caller, in *struct {
		TokenPath
		Reasoned
	},
	) (*struct{}, error) {
		t, err := s.deps.Auth.Token(ctx, in.Token)
		if err == nil && c.mayGrant(t.Grants) != nil {
			err = fault.New(fault.NotFound, "there is no such token")
		}
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Auth.RevokeToken(ctx, c.Identity, t.ID, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/enrolment-tokens", id: "list-enrolment-tokens", tag: tag, verb: auth.Access,
		summary: "List enrolment tokens", description: "Those of the caller's apps and IDCs; never their secrets.",
	}, func(ctx context.Context, c *caller, in *Paged) (*plain[api.Page[api.EnrolmentToken]], error) {
		all, err := s.deps.Auth.EnrolTokens(ctx)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(t *auth.EnrolToken) bool { return !c.Can(auth.Access, t.App, t.IDC) })
		slices.SortFunc(all, func(a, b *auth.EnrolToken) int { return cmp.Compare(a.ID, b.ID) })
		return pageOf(all, *in, func(t *auth.EnrolToken) string { return t.ID }, toEnrol)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/enrolment-tokens", id: "create-enrolment-token", tag: tag, verb: auth.Access, status: http.StatusCreated,
		summary: "Create an enrolment token", description: "Agents of the app and IDC register with it. The secret is returned this once.",
	}, s.createEnrol)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/enrolment-tokens/{token}", id: "revoke-enrolment-token", tag: tag, verb: auth.Access, status: http.StatusNoContent,
		summary: "Revoke an enrolment token", description: "Agents that registered with it stay; ban them one by one if they must go.",
	}, func(ctx context.Context, c *caller, in *struct {
		TokenPath
		Reasoned
	},
	) (*struct{}, error) {
		t, err := s.deps.Auth.EnrolToken(ctx, in.Token)
		if err == nil && !c.Can(auth.Access, t.App, t.IDC) {
			err = fault.New(fault.NotFound, "there is no such enrolment token")
		}
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Auth.RevokeEnrolToken(ctx, t.ID, c.change(in.Reason, ""))
	})
}

// mayGrant wants the access verb wherever the grants reach.
func (c *caller) mayGrant(grants []auth.Grant) error {
	for _, g := range grants {
		if err := c.may(auth.Access, g.App, g.IDC); err != nil {
			return err
		}
	}
	return nil
}

// life reads a duration, or the default when absent.
func life(s string, otherwise time.Duration) (time.Duration, error) {
	if s == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fault.WithProblems(problem("for", "type", `for wants a duration like "30m", got %q`, s), "the duration is not valid")
	}
	return d, nil
}

func (s *Server) createToken(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.TokenCreate
},
) (*plain[api.TokenSecret], error) {
	b := in.Body
	grants := fromGrants(b.Grants)
	if ps := auth.CheckGrants(grants); len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the grants are not valid")
	}
	if err := c.mayGrant(grants); err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "token")
	if err != nil {
		return nil, err
	}
	if done {
		t, err := s.deps.Auth.Token(ctx, id)
		if err != nil {
			return nil, err
		}
		return &plain[api.TokenSecret]{api.TokenSecret{Token: toToken(t)}}, nil
	}
	d, err := life(b.For, auth.DefaultTokenLife)
	if err != nil {
		return nil, err
	}
	t, secret, err := s.deps.Auth.IssueToken(ctx, c.Identity, b.Name, grants, d, c.change(b.Reason, in.IdempotencyKey))
	if err != nil {
		return nil, err
	}
	return &plain[api.TokenSecret]{api.TokenSecret{Token: toToken(t), Secret: secret}}, nil
}

func (s *Server) createEnrol(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.EnrolmentTokenCreate
},
) (*plain[api.EnrolmentTokenSecret], error) {
	b := in.Body
	if err := c.may(auth.Access, b.App, b.IDC); err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "enrolment-token")
	if err != nil {
		return nil, err
	}
	if done {
		t, err := s.deps.Auth.EnrolToken(ctx, id)
		if err != nil {
			return nil, err
		}
		return &plain[api.EnrolmentTokenSecret]{api.EnrolmentTokenSecret{EnrolmentToken: toEnrol(t)}}, nil
	}
	d, err := life(b.For, auth.DefaultEnrolLife)
	if err != nil {
		return nil, err
	}
	t, secret, err := s.deps.Auth.IssueEnrolToken(ctx, b.Name, b.App, b.IDC, d, c.change(b.Reason, in.IdempotencyKey))
	if err != nil {
		return nil, err
	}
	return &plain[api.EnrolmentTokenSecret]{api.EnrolmentTokenSecret{EnrolmentToken: toEnrol(t), Secret: secret}}, nil
}

func toToken(t *auth.Token) api.Token {
	return api.Token{
		ID: t.ID, Name: t.Name, Prefix: t.Prefix, Grants: toGrants(t.Grants), Expires: t.Expires, CreatedBy: t.CreatedBy,
		CreatedAt: t.CreatedAt, Revoked: timePtr(t.Revoked), LastUsed: timePtr(t.LastUsed),
	}
}

func toEnrol(t *auth.EnrolToken) api.EnrolmentToken {
	return api.EnrolmentToken{
		ID: t.ID, Name: t.Name, Prefix: t.Prefix, App: t.App, IDC: t.IDC, Expires: t.Expires, CreatedBy: t.CreatedBy,
		CreatedAt: t.CreatedAt, Revoked: timePtr(t.Revoked),
	}
}

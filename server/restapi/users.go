package restapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
)

type UserPath struct {
	User string `path:"user" maxLength:"63" doc:"User id or name." example:"ann"`
}

func (s *Server) userRoutes() {
	const tag = "Access"
	handle(s, endpoint{
		method: http.MethodGet, path: "/users", id: "list-users", tag: tag, verb: auth.Access,
		summary: "List users", description: "By name.",
	}, func(ctx context.Context, c *caller, in *Paged) (*plain[api.Page[api.User]], error) {
		if err := c.may(auth.Access, gear.Any, gear.Any); err != nil {
			return nil, err
		}
		users, err := s.deps.Auth.Users(ctx)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(users, func(a, b *auth.User) int { return cmp.Compare(a.Name, b.Name) })
		return pageOf(users, *in, func(u *auth.User) string { return u.Name }, toUser)
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/users", id: "create-user", tag: tag, verb: auth.Access, status: http.StatusCreated,
		summary: "Create a user", description: "Without a password one is generated and returned, this once. Nobody can grant more than they hold.",
	}, s.createUser)
	handle(s, endpoint{
		method: http.MethodGet, path: "/users/{user}", id: "get-user", tag: tag, verb: auth.Access,
		summary: "Get a user", description: "By id or name.",
	}, func(ctx context.Context, c *caller, in *UserPath) (*tagged[api.User], error) {
		u, err := s.user(ctx, c, in.User)
		if err != nil {
			return nil, err
		}
		return &tagged[api.User]{etag(u.Version), toUser(u)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/users/{user}", id: "update-user", tag: tag, verb: auth.Access,
		summary: "Replace a user's grants and state", description: "A change of grants or state cuts the user's sessions within seconds.",
		errors: []int{http.StatusPreconditionRequired},
	}, s.updateUser)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/users/{user}", id: "delete-user", tag: tag, verb: auth.Access, status: http.StatusNoContent,
		summary: "Delete a user", description: "The last administrator stays.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		UserPath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		u, err := s.user(ctx, c, in.User)
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Auth.DeleteUser(ctx, c.Identity, u.ID, version, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/users/{user}/password", id: "reset-password", tag: tag, verb: auth.Access,
		summary: "Generate a new password", description: "It is returned this once; the user's sessions are cut.",
	}, func(ctx context.Context, c *caller, in *struct {
		UserPath
		Body api.Reason
	},
	) (*plain[api.UserSecret], error) {
		u, err := s.user(ctx, c, in.User)
		if err != nil {
			return nil, err
		}
		u, password, err := s.deps.Auth.ResetPassword(ctx, c.Identity, u.ID, c.change(in.Body.Reason, ""))
		if err != nil {
			return nil, err
		}
		return &plain[api.UserSecret]{api.UserSecret{User: toUser(u), Password: password}}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/users/{user}/sign-out", id: "sign-out-user", tag: tag, verb: auth.Access, status: http.StatusNoContent,
		summary: "Cut a user's sessions", description: "All of them, within seconds.",
	}, func(ctx context.Context, c *caller, in *struct {
		UserPath
		Body api.Reason
	},
	) (*struct{}, error) {
		u, err := s.user(ctx, c, in.User)
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Auth.SignOut(ctx, u.ID, c.change(in.Body.Reason, ""))
	})
}

// user finds a user for an administrator of everything: users have no scope of
// their own.
func (s *Server) user(ctx context.Context, c *caller, idOrName string) (*auth.User, error) {
	if err := c.may(auth.Access, gear.Any, gear.Any); err != nil {
		return nil, err
	}
	return s.deps.Auth.User(ctx, idOrName)
}

func (s *Server) createUser(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.UserCreate
},
) (*tagged[api.UserSecret], error) {
	if err := c.may(auth.Access, gear.Any, gear.Any); err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "user")
	if err != nil {
		return nil, err
	}
	if done {
		u, err := s.deps.Auth.User(ctx, id)
		if err != nil {
			return nil, err
		}
		return &tagged[api.UserSecret]{etag(u.Version), api.UserSecret{User: toUser(u)}}, nil
	}
	u := &auth.User{Name: in.Body.Name, Display: in.Body.Display, Grants: fromGrants(in.Body.Grants)}
	password, err := s.deps.Auth.CreateUser(ctx, c.Identity, u, in.Body.Password, c.change(in.Body.Reason, in.IdempotencyKey))
	if err != nil {
		return nil, err
	}
	return &tagged[api.UserSecret]{etag(u.Version), api.UserSecret{User: toUser(u), Password: password}}, nil
}

func (s *Server) updateUser(ctx context.Context, c *caller, in *struct {
	UserPath
	Conditional
	Body api.UserUpdate
},
) (*tagged[api.User], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	u, err := s.user(ctx, c, in.User)
	if err != nil {
		return nil, err
	}
	b := in.Body
	u, err = s.deps.Auth.UpdateUser(ctx, c.Identity, u.ID, version, b.Display, fromGrants(b.Grants), b.Disabled, c.change(b.Reason, ""))
	if err != nil {
		return nil, withMine(err, b)
	}
	return &tagged[api.User]{etag(u.Version), toUser(u)}, nil
}

func toUser(u *auth.User) api.User {
	return api.User{
		ID: u.ID, Name: u.Name, Display: u.Display, Grants: toGrants(u.Grants), Disabled: u.Disabled, Version: u.Version,
		CreatedBy: u.CreatedBy, CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, LastLogin: timePtr(u.LastLogin),
	}
}

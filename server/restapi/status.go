package restapi

import (
	"context"
	"net/http"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/fleet"
	"github.com/allspark/allspark/server/settings"
)

func (s *Server) statusRoutes() {
	const tag = "Status"
	handle(s, endpoint{
		method: http.MethodGet, path: "/status", id: "status", tag: tag, verb: auth.Read,
		summary: "State of this controller", description: "Who decides, whether the database answers, agents by state.",
	}, s.status)
	handle(s, endpoint{
		method: http.MethodGet, path: "/settings", id: "get-settings", tag: tag, verb: auth.Read,
		summary: "Get the settings", description: "Retention of history and rules for agents that fell silent.",
	}, func(ctx context.Context, _ *caller, _ *struct{}) (*tagged[api.Settings], error) {
		v, err := s.settings(ctx)
		if err != nil {
			return nil, err
		}
		return &tagged[api.Settings]{etag(v.Version), toSettings(v)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/settings", id: "update-settings", tag: tag, verb: auth.Settings,
		summary: "Replace the settings", description: "In force on every replica within seconds.", errors: []int{http.StatusPreconditionRequired},
	}, s.updateSettings)
}

func (s *Server) status(ctx context.Context, _ *caller, _ *struct{}) (*plain[api.Status], error) {
	out := api.Status{Version: s.deps.Version, Replica: s.deps.Replica, StartedAt: s.started.UTC(), Streams: s.hub.size()}
	out.Database.Kind = s.deps.Database.Dialect()
	start := time.Now()
	out.Database.OK = s.deps.Database.Ping(ctx) == nil
	out.Database.PingMS = ms(time.Since(start))
	out.Now = time.Now().UTC()
	if now, err := s.deps.Control.Now(ctx); err == nil {
		out.Now = now.UTC()
	}
	l := s.deps.Loop()
	out.Lease = api.Lease{
		Holder: l.Holder, Epoch: l.Epoch, Expires: timePtr(l.LeaseExpires), Mine: l.Leading, Waiting: l.Waiting, Decided: timePtr(l.Decided),
		Newest: toGearVersion(l.Newest), Trouble: l.Trouble,
	}
	n := s.deps.Fleet.Counts(time.Now())
	out.Agents = api.Counts{
		Connected: n[fleet.StateConnected], Stale: n[fleet.StateStale], Disconnected: n[fleet.StateDisconnected], Banned: n[fleet.StateBanned],
	}
	return &plain[api.Status]{out}, nil
}

// settings gives what is in force.
func (s *Server) settings(ctx context.Context) (*settings.Settings, error) {
	v, err := s.deps.Settings.GetSettings(ctx)
	if err == nil && v == nil {
		d := s.deps.DefaultSettings
		v = &d
	}
	return v, err
}

func (s *Server) updateSettings(ctx context.Context, c *caller, in *struct {
	Conditional
	Body api.SettingsInput
},
) (*tagged[api.Settings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	if err := c.may(auth.Settings, gear.Any, gear.Any); err != nil {
		return nil, err
	}
	before, err := s.settings(ctx)
	if err != nil {
		return nil, err
	}
	v := &settings.Settings{Version: version, UpdatedBy: c.Actor(), UpdatedAt: time.Now().UTC()}
	var ps gear.Problems
	for _, f := range []struct {
		path, text string
		to         *time.Duration
	}{
		{"retention_minutes", in.Body.RetentionMinutes, &v.RetentionMinutes},
		{"retention_hours", in.Body.RetentionHours, &v.RetentionHours},
		{"stale_after", in.Body.StaleAfter, &v.StaleAfter},
		{"forget_after", in.Body.ForgetAfter, &v.ForgetAfter},
	} {
		d, ok := gear.ParseDuration(f.text)
		if !ok {
			ps.Add(f.path, gear.CodeType, f.path+` wants a duration like "168h", got "`+gear.Shown(f.text)+`"`)
		}
		*f.to = d
	}
	if len(ps) == 0 {
		ps = v.Check()
	}
	if len(ps) > 0 {
		return nil, fault.WithProblems(ps, "the settings are not valid")
	}
	ch := c.change(in.Body.Reason, "")
	ch.Verb, ch.Kind, ch.Object, ch.Name = "update", "settings", "settings", "settings"
	ch.Before, ch.After = rawOf(toSettings(before)), rawOf(toSettings(v))
	if err := s.deps.Settings.PutSettings(ctx, v, ch); err != nil {
		return nil, withMine(err, in.Body)
	}
	if s.deps.Apply != nil {
		s.deps.Apply(*v)
	}
	return &tagged[api.Settings]{etag(v.Version), toSettings(v)}, nil
}

func toSettings(v *settings.Settings) api.Settings {
	return api.Settings{
		RetentionMinutes: v.RetentionMinutes.String(), RetentionHours: v.RetentionHours.String(),
		StaleAfter: v.StaleAfter.String(), ForgetAfter: v.ForgetAfter.String(), Version: v.Version,
	}
}

package restapi

import (
	"context"
	"net/http"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/alert"
	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/fault"
)

type SinkPath struct {
	Sink string `path:"sink" maxLength:"63" doc:"Sink, by name or id."`
}

// recentDeliveries are shown of a sink.
const recentDeliveries = 5

func (s *Server) alertSettingRoutes() {
	const tag = "Alerts"
	handle(s, endpoint{
		method: http.MethodGet, path: "/alert-rules", id: "list-alert-rules", tag: tag, verb: auth.Read,
		summary: "List alert rules", description: "One a kind of alert; defaults where nothing was saved.",
	}, func(ctx context.Context, _ *caller, _ *struct{}) (*plain[api.Page[api.AlertRule]], error) {
		rules, err := s.deps.Alerts.Rules(ctx)
		if err != nil {
			return nil, err
		}
		return &plain[api.Page[api.AlertRule]]{api.Page[api.AlertRule]{Items: mapped(alert.Kinds(), func(k alert.Kind) api.AlertRule {
			r := rules[k]
			return toRule(&r)
		})}}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/alert-rules/{kind}", id: "update-alert-rule", tag: tag, verb: auth.Settings,
		summary: "Replace an alert rule", description: "In force within seconds. If-Match \"0\" replaces a default.", errors: []int{http.StatusPreconditionRequired},
	}, s.updateRule)
	handle(s, endpoint{
		method: http.MethodGet, path: "/alert-sinks", id: "list-alert-sinks", tag: tag, verb: auth.Settings,
		summary: "List sinks", description: "By name, with their newest deliveries. Addresses and secrets are never shown.",
	}, func(ctx context.Context, c *caller, _ *struct{}) (*plain[api.Page[api.AlertSink]], error) {
		if err := c.may(auth.Settings, gear.Any, gear.Any); err != nil {
			return nil, err
		}
		sinks, err := s.deps.Alerts.Sinks(ctx)
		if err != nil {
			return nil, err
		}
		out := api.Page[api.AlertSink]{Items: []api.AlertSink{}}
		for _, x := range sinks {
			shown, err := s.sink(ctx, x)
			if err != nil {
				return nil, err
			}
			out.Items = append(out.Items, shown)
		}
		return &plain[api.Page[api.AlertSink]]{out}, nil
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/alert-sinks/{sink}", id: "get-alert-sink", tag: tag, verb: auth.Settings,
		summary: "Get a sink", description: "With its newest deliveries.",
	}, func(ctx context.Context, c *caller, in *SinkPath) (*tagged[api.AlertSink], error) {
		if err := c.may(auth.Settings, gear.Any, gear.Any); err != nil {
			return nil, err
		}
		x, err := s.deps.Alerts.Sink(ctx, in.Sink)
		if err != nil {
			return nil, err
		}
		shown, err := s.sink(ctx, x)
		return &tagged[api.AlertSink]{etag(x.Version), shown}, err
	})
	s.sinkWrites(tag)
}

func (s *Server) sink(ctx context.Context, x *alert.Sink) (api.AlertSink, error) {
	recent, err := s.deps.Alerts.Newest(ctx, x.ID, recentDeliveries)
	return toSink(x, recent), err
}

func (s *Server) updateRule(ctx context.Context, c *caller, in *struct {
	Kind string `path:"kind" maxLength:"40" doc:"Kind of alert."`
	Conditional
	Body api.AlertRuleInput
},
) (*tagged[api.AlertRule], error) {
	version, err := in.version()
	if err == nil {
		err = c.may(auth.Settings, gear.Any, gear.Any)
	}
	if err != nil {
		return nil, err
	}
	b := &in.Body
	r := &alert.Rule{Kind: alert.Kind(in.Kind), Enabled: b.Enabled, Severity: alert.Severity(b.Severity), Threshold: b.Threshold, Version: version}
	for _, x := range []struct {
		path, text string
		to         *time.Duration
	}{{"for", b.For, &r.For}, {"clear", b.Clear, &r.Clear}} {
		d, ok := gear.ParseDuration(x.text)
		if !ok {
			return nil, fault.WithProblems(problem(x.path, gear.CodeType, `%s wants a duration like "10s", got "%s"`, x.path, gear.Shown(x.text)), "the rule is not valid")
		}
		*x.to = d
	}
	out, err := s.deps.Alerts.PutRule(ctx, r, c.change(b.Reason, ""))
	if err != nil {
		return nil, withMine(err, in.Body)
	}
	return &tagged[api.AlertRule]{etag(out.Version), toRule(out)}, nil
}

func (s *Server) sinkWrites(tag string) {
	handle(s, endpoint{
		method: http.MethodPost, path: "/alert-sinks", id: "create-alert-sink", tag: tag, verb: auth.Settings, status: http.StatusCreated,
		summary: "Create a sink", description: "It is told of alerts raised from then on, and of those that stand and nobody was told of.",
	}, func(ctx context.Context, c *caller, in *struct {
		Idempotent
		Body api.AlertSinkInput
	},
	) (*tagged[api.AlertSink], error) {
		if err := c.may(auth.Settings, gear.Any, gear.Any); err != nil {
			return nil, err
		}
		id, done, err := s.once(ctx, c, in.IdempotencyKey, "alert-sink")
		if err != nil {
			return nil, err
		}
		var x *alert.Sink
		if done {
			x, err = s.deps.Alerts.Sink(ctx, id)
		} else {
			x, err = s.deps.Alerts.CreateSink(ctx, fromSink(&in.Body), c.change(in.Body.Reason, in.IdempotencyKey))
		}
		if err != nil {
			return nil, err
		}
		return &tagged[api.AlertSink]{etag(x.Version), toSink(x, nil)}, nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/alert-sinks/{sink}", id: "update-alert-sink", tag: tag, verb: auth.Settings,
		summary: "Replace a sink", description: "An address or secret that is left out stays; another address or kind needs the secret again.",
		errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		SinkPath
		Conditional
		Body api.AlertSinkInput
	},
	) (*tagged[api.AlertSink], error) {
		version, err := in.version()
		if err == nil {
			err = c.may(auth.Settings, gear.Any, gear.Any)
		}
		if err != nil {
			return nil, err
		}
		x := fromSink(&in.Body)
		x.Version = version
		mine := in.Body
		mine.URL, mine.Secret = "", ""
		if x, err = s.deps.Alerts.UpdateSink(ctx, in.Sink, x, c.change(in.Body.Reason, "")); err != nil {
			return nil, withMine(err, mine)
		}
		return &tagged[api.AlertSink]{etag(x.Version), toSink(x, nil)}, nil
	})
	handle(s, endpoint{
		method: http.MethodDelete, path: "/alert-sinks/{sink}", id: "delete-alert-sink", tag: tag, verb: auth.Settings, status: http.StatusNoContent,
		summary: "Delete a sink", description: "What waits for it is not sent.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		SinkPath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		version, err := in.version()
		if err == nil {
			err = c.may(auth.Settings, gear.Any, gear.Any)
		}
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Alerts.DeleteSink(ctx, in.Sink, version, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/alert-sinks/{sink}/test", id: "test-alert-sink", tag: tag, verb: auth.Settings,
		summary: "Test a sink", description: "Sends a message that says it is a test and tells what became of it.",
	}, func(ctx context.Context, c *caller, in *SinkPath) (*plain[api.AlertSinkTest], error) {
		if err := c.may(auth.Settings, gear.Any, gear.Any); err != nil {
			return nil, err
		}
		begun := time.Now()
		err := s.deps.Alerts.TestSink(ctx, in.Sink, c.Actor())
		out := api.AlertSinkTest{OK: err == nil, MS: ms(time.Since(begun))}
		if fault.Is(err, fault.NotFound) {
			return nil, err
		}
		if err != nil {
			out.Error = err.Error()
		}
		return &plain[api.AlertSinkTest]{out}, nil
	})
}

package restapi

import (
	"context"
	"net/http"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/auth"
	"github.com/allspark/allspark/server/experiment"
	"github.com/allspark/allspark/server/fault"
)

type ExperimentPath struct {
	Experiment string `path:"experiment" maxLength:"63" doc:"Experiment, by name or id."`
}

func (s *Server) experimentRoutes() {
	const tag = "Experiments"
	handle(s, endpoint{
		method: http.MethodGet, path: "/experiments", id: "list-experiments", tag: tag, verb: auth.Read,
		summary: "List experiments", description: "Those whose scope and measured app the caller may see, newest first.",
	}, func(ctx context.Context, c *caller, in *struct {
		State string `query:"state" enum:"draft,running,ended" doc:"Only those in this state."`
	},
	) (*plain[api.Page[api.Experiment]], error) {
		all, err := s.deps.Experiments.List(ctx, experiment.State(in.State))
		if err != nil {
			return nil, err
		}
		p := api.Page[api.Experiment]{Items: []api.Experiment{}}
		for _, x := range all {
			if seesExperiment(c, x) {
				p.Items = append(p.Items, toExperiment(x))
			}
		}
		return &plain[api.Page[api.Experiment]]{p}, nil
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/experiments", id: "create-experiment", tag: tag, verb: auth.Set, status: http.StatusCreated,
		summary: "Draft an experiment", description: "Nothing happens before it is started. Needs the verb where the arms differ and where they are measured.",
	}, s.createExperiment)
	handle(s, endpoint{
		method: http.MethodGet, path: "/experiments/{experiment}", id: "get-experiment", tag: tag, verb: auth.Read,
		summary: "Get an experiment", description: "What it compares, and where it stands.",
	}, func(ctx context.Context, c *caller, in *ExperimentPath) (*tagged[api.Experiment], error) {
		x, err := s.experiment(ctx, c, in.Experiment, auth.Read)
		if err != nil {
			return nil, err
		}
		return experimentOutput(x), nil
	})
	handle(s, endpoint{
		method: http.MethodPut, path: "/experiments/{experiment}", id: "update-experiment", tag: tag, verb: auth.Set,
		summary: "Replace a draft", description: "What was started stays what it was.", errors: []int{http.StatusPreconditionRequired},
	}, s.updateExperiment)
	handle(s, endpoint{
		method: http.MethodDelete, path: "/experiments/{experiment}", id: "delete-experiment", tag: tag, verb: auth.Set, status: http.StatusNoContent,
		summary: "Delete an experiment", description: "One that does not run; what was measured goes with it.", errors: []int{http.StatusPreconditionRequired},
	}, func(ctx context.Context, c *caller, in *struct {
		ExperimentPath
		Conditional
		Reasoned
	},
	) (*struct{}, error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		x, err := s.experiment(ctx, c, in.Experiment, auth.Set)
		if err != nil {
			return nil, err
		}
		return nil, s.deps.Experiments.Delete(ctx, x.ID, version, c.change(in.Reason, ""))
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/experiments/{experiment}/start", id: "start-experiment", tag: tag, verb: auth.Set,
		summary: "Start an experiment", description: "Sets the arms' claims until its end. Refused while another runs on the same requests.",
	}, func(ctx context.Context, c *caller, in *experimentAction[api.Reason]) (*tagged[api.Experiment], error) {
		return s.onExperiment(ctx, c, in.ExperimentPath, in.Idempotent, func(x *experiment.Experiment) (*experiment.Experiment, error) {
			return s.deps.Experiments.Start(ctx, x.ID, c.change(in.Body.Reason, in.IdempotencyKey))
		})
	})
	handle(s, endpoint{
		method: http.MethodPost, path: "/experiments/{experiment}/stop", id: "stop-experiment", tag: tag, verb: auth.Set,
		summary: "Stop an experiment", description: "Releases its claims now. It is not started again.",
	}, func(ctx context.Context, c *caller, in *experimentAction[api.ExperimentStop]) (*tagged[api.Experiment], error) {
		return s.onExperiment(ctx, c, in.ExperimentPath, in.Idempotent, func(x *experiment.Experiment) (*experiment.Experiment, error) {
			return s.deps.Experiments.Stop(ctx, x.ID, in.Body.Reason, c.change(in.Body.Reason, in.IdempotencyKey))
		})
	})
	handle(s, endpoint{
		method: http.MethodGet, path: "/experiments/{experiment}/result", id: "experiment-result", tag: tag, verb: auth.Read,
		summary: "Get what an experiment found", description: "So far, or at its end: figures of each arm, lifts with their intervals, how traffic divided, and which claims stand above an arm's.",
	}, s.experimentResult)
}

type experimentAction[B any] struct {
	ExperimentPath
	Idempotent
	Body B
}

func seesExperiment(c *caller, x *experiment.Experiment) bool {
	return c.sees(x.Scope.App, x.Scope.IDC) && c.sees(x.Measure.App, x.Scope.IDC)
}

// mayExperiment wants the verb where the arms differ, and where they are measured.
func mayExperiment(c *caller, v auth.Verb, x *experiment.Experiment) error {
	if err := c.may(v, x.Scope.App, x.Scope.IDC); err != nil {
		return err
	}
	return c.may(v, x.Measure.App, x.Scope.IDC)
}

// experiment finds one that concerns the caller, and wants the verb on it.
func (s *Server) experiment(ctx context.Context, c *caller, id string, v auth.Verb) (*experiment.Experiment, error) {
	x, err := s.deps.Experiments.Get(ctx, id)
	if err == nil && !seesExperiment(c, x) {
		err = fault.New(fault.NotFound, "there is no such experiment")
	}
	if err == nil && v != auth.Read {
		err = mayExperiment(c, v, x)
	}
	return x, err
}

func experimentOutput(x *experiment.Experiment) *tagged[api.Experiment] {
	return &tagged[api.Experiment]{etag(x.Version), toExperiment(x)}
}

func (s *Server) createExperiment(ctx context.Context, c *caller, in *struct {
	Idempotent
	Body api.ExperimentInput
},
) (*tagged[api.Experiment], error) {
	x, err := fromExperiment(&in.Body)
	if err != nil {
		return nil, err
	}
	if err := mayExperiment(c, auth.Set, x); err != nil {
		return nil, err
	}
	id, done, err := s.once(ctx, c, in.IdempotencyKey, "experiment")
	switch {
	case err != nil:
		return nil, err
	case done:
		x, err = s.deps.Experiments.Get(ctx, id)
	default:
		x, err = s.deps.Experiments.Create(ctx, x, c.change(in.Body.Reason, in.IdempotencyKey))
	}
	if err != nil {
		return nil, err
	}
	return experimentOutput(x), nil
}

func (s *Server) updateExperiment(ctx context.Context, c *caller, in *struct {
	ExperimentPath
	Conditional
	Body api.ExperimentInput
},
) (*tagged[api.Experiment], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	old, err := s.experiment(ctx, c, in.Experiment, auth.Set)
	if err != nil {
		return nil, err
	}
	x, err := fromExperiment(&in.Body)
	if err != nil {
		return nil, err
	}
	if err := mayExperiment(c, auth.Set, x); err != nil {
		return nil, err
	}
	x.ID, x.Version = old.ID, version
	if x, err = s.deps.Experiments.Update(ctx, x, c.change(in.Body.Reason, "")); err != nil {
		return nil, withMine(err, in.Body)
	}
	return experimentOutput(x), nil
}

// onExperiment does an action once a key.
func (s *Server) onExperiment(ctx context.Context, c *caller, at ExperimentPath, key Idempotent, do func(*experiment.Experiment) (*experiment.Experiment, error)) (*tagged[api.Experiment], error) {
	x, err := s.experiment(ctx, c, at.Experiment, auth.Set)
	if err != nil {
		return nil, err
	}
	_, done, err := s.once(ctx, c, key.IdempotencyKey, "experiment")
	if err != nil {
		return nil, err
	}
	if !done {
		if x, err = do(x); err != nil {
			return nil, err
		}
	}
	return experimentOutput(x), nil
}

func (s *Server) experimentResult(ctx context.Context, c *caller, in *ExperimentPath) (*plain[api.ExperimentResult], error) {
	x, err := s.experiment(ctx, c, in.Experiment, auth.Read)
	if err != nil {
		return nil, err
	}
	r, err := s.deps.Experiments.Result(ctx, x)
	if err != nil {
		return nil, err
	}
	out := toResult(&r)
	if x.State == experiment.Running {
		over, err := s.deps.Experiments.Overrides(ctx, x)
		if err != nil {
			return nil, err
		}
		for _, cl := range over {
			if c.sees(cl.Scope.App, cl.Scope.IDC) {
				out.Overrides = append(out.Overrides, toClaim(cl))
			}
		}
	}
	return &plain[api.ExperimentResult]{out}, nil
}

package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/api"
)

const (
	rehearsalPoll = 300 * time.Millisecond
	rehearsalRows = 24 // samples shown; json and yaml have all
)

// planRehearse plays a plan on the engine model and waits for what comes of it.
func (s *session) planRehearse() *cobra.Command {
	var in api.RehearsalInput
	var peakAt string
	c := &cobra.Command{
		Use: "rehearse PLAN", Short: "Play a plan on the engine model, with it and without it",
		Long: "Play a saved plan, approved or not, on the engine model under the rules that run live,\n" +
			"on a recorded or a generated day, with it and without it. It takes seconds and changes nothing.",
		Example: "  allspark plan rehearse double-11\n  allspark plan rehearse double-11 --day code --peak 7 --seed 3 -o json",
		Args:    args(cobra.ExactArgs(1)),
	}
	c.Flags().StringVar(&in.Day, "day", "conversation", "who comes: conversation, code (recorded) or generated")
	c.Flags().Float64Var(&in.Peak, "peak", 5, "times the load the engine is made for")
	c.Flags().StringVar(&peakAt, "peak-at", "", "when the peak comes, RFC 3339; the full hour after the first step by default")
	c.Flags().Int64Var(&in.Seed, "seed", 1, "the same seed brings the same users")
	c.Flags().StringVar(&in.Occurrence, "occurrence", "", "which; the next by default")
	c.Flags().StringVar(&in.Reason, "reason", "", "why")
	c.RunE = func(cmd *cobra.Command, a []string) error {
		if peakAt != "" {
			t, err := time.Parse(time.RFC3339, peakAt)
			if err != nil {
				return usagef("--peak-at wants an instant like 2026-11-11T00:00:00+08:00, got %q", peakAt)
			}
			in.PeakAt = t
		}
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var started api.Rehearsal
		if _, err := cl.do(cmd.Context(), call{method: http.MethodPost, path: at("plans", a[0], "rehearsals"), body: in}, &started); err != nil {
			return err
		}
		r, err := awaitRehearsal(cmd.Context(), cl, a[0], started.ID)
		if err != nil {
			return err
		}
		if r.State == "failed" {
			return fmt.Errorf("the rehearsal failed: %s", inert(r.Problem))
		}
		return s.show(cmd, r, func(w io.Writer) { rehearsalRowsOf(w, r) })
	}
	return c
}

func awaitRehearsal(ctx context.Context, cl *client, plan, id string) (*api.RehearsalDetail, error) {
	for {
		var r api.RehearsalDetail
		if _, err := cl.do(ctx, call{method: http.MethodGet, path: at("plans", plan, "rehearsals", id)}, &r); err != nil {
			return nil, err
		}
		if r.State != "running" {
			return &r, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(rehearsalPoll):
		}
	}
}

func rehearsalRowsOf(w io.Writer, r *api.RehearsalDetail) {
	row(w, "PLAN", "OCCURRENCE", "DAY", "PEAK", "AT", "MACHINES", "TOOK")
	row(w, r.Plan, r.Occurrence, r.Day, fmt.Sprintf("%gx", r.Peak), r.PeakAt, r.Machines, time.Duration(r.TookMS)*time.Millisecond)
	row(w)
	row(w, "", "VALUE", "LOST", "RT MEAN", "RT P99", "CPU", "CPU MAX", "HEAVY")
	for _, x := range []struct {
		name string
		t    *api.RehearsalTotals
	}{{"with the plan", r.With}, {"without it", r.Without}} {
		row(w, x.name, share(x.t.Value), share(x.t.TimeoutRate), millis(x.t.RTMeanMS), millis(x.t.RTP99MS), share(x.t.CPU), share(x.t.CPUMax), fmt.Sprintf("%.1f min", x.t.HeavyMinutes))
	}
	row(w)
	row(w, "UNTIL", "LOAD", "VALUE", "", "LOST", "", "RT", "", "CPU", "", "WORK", "", "STEP")
	for i, k := 0, max((len(r.At)+rehearsalRows-1)/rehearsalRows, 1); i < len(r.At); i += k {
		n := min(i+k, len(r.At))
		from := r.From
		if i > 0 {
			from = r.At[i-1]
		}
		c, o := r.Curve, r.Control
		row(w, r.At[n-1], fmt.Sprintf("%.1fx", middle(r.Load[i:n])), share(middle(c.Value[i:n])), share(middle(o.Value[i:n])),
			share(middle(c.TimeoutRate[i:n])), share(middle(o.TimeoutRate[i:n])), millis(middle(c.RTMS[i:n])), millis(middle(o.RTMS[i:n])),
			share(middle(c.CPU[i:n])), share(middle(o.CPU[i:n])), share(middle(c.Work[i:n])), share(middle(o.Work[i:n])), marksIn(r.Marks, from, r.At[n-1]))
	}
	if len(r.NotPlayed) > 0 {
		row(w)
	}
	for _, x := range r.NotPlayed {
		row(w, "not played", x)
	}
}

// marksIn names the steps that start or end after from, up to to.
func marksIn(ms []api.RehearsalMark, from, to time.Time) []string {
	out := []string{}
	for _, m := range ms {
		if m.At.After(from) && !m.At.After(to) {
			verb := " starts"
			if m.Ends {
				verb = " ends"
			}
			out = append(out, m.Step+verb)
		}
	}
	return out
}

func middle(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(len(v), 1))
}

func share(v float64) string  { return fmt.Sprintf("%.1f%%", 100*v) }
func millis(v float64) string { return fmt.Sprintf("%.0fms", v) }

// planRehearsals lists what was played, and sets one against what happened.
func (s *session) planRehearsals() *cobra.Command {
	return &cobra.Command{Use: "rehearsals PLAN", Short: "List a plan's rehearsals", Args: args(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var page api.Page[api.Rehearsal]
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("plans", a[0], "rehearsals")}, &page); err != nil {
			return err
		}
		items := page.Items
		return s.show(cmd, items, func(w io.Writer) {
			row(w, "REHEARSAL", "STATE", "OCCURRENCE", "DAY", "PEAK", "VALUE WITH", "WITHOUT", "LOST WITH", "WITHOUT", "BY", "AT")
			for _, r := range items {
				cells := []any{r.ID, r.State, r.Occurrence, r.Day, fmt.Sprintf("%gx", r.Peak)}
				if r.With != nil {
					cells = append(cells, share(r.With.Value), share(r.Without.Value), share(r.With.TimeoutRate), share(r.Without.TimeoutRate))
				} else {
					cells = append(cells, "", "", "", "")
				}
				row(w, append(cells, r.CreatedBy, r.CreatedAt)...)
			}
		})
	}}
}

func (s *session) planCompare() *cobra.Command {
	return &cobra.Command{Use: "compare PLAN REHEARSAL", Short: "Set what a rehearsal foretold against what was measured", Args: args(cobra.ExactArgs(2)), RunE: func(cmd *cobra.Command, a []string) error {
		cl, err := s.connect()
		if err != nil {
			return err
		}
		var x api.RehearsalComparison
		if _, err := cl.do(cmd.Context(), call{method: http.MethodGet, path: at("plans", a[0], "rehearsals", a[1], "comparison")}, &x); err != nil {
			return err
		}
		return s.show(cmd, x, func(w io.Writer) {
			row(w, "RAN", "FROM", "TO", "MINUTES", "MEASURED")
			row(w, x.Ran, x.From, x.To, len(x.At), share(x.Coverage))
			row(w)
			row(w, "METRIC", "APP", "POINT", "FORETOLD", "MEASURED", "ERROR")
			for _, l := range x.Lines {
				figure := func(v *float64) string {
					if v == nil {
						return ""
					}
					return fmt.Sprintf("%.3g", *v)
				}
				off := ""
				if l.Error != nil {
					off = share(*l.Error)
				}
				row(w, l.Metric, l.App, l.Point, figure(l.MeanPredicted), figure(l.MeanActual), off)
			}
		})
	}}
}

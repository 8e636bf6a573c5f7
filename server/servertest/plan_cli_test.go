package servertest_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/api"
	"github.com/allspark/allspark/server/servertest"
)

// TestPlansByCommand takes a plan through its life with the operator's commands,
// on a real controller with real agents: dry run, rehearsal, approval, hold, a
// step run at once, extended and stopped, and what is left of it.
func TestPlansByCommand(t *testing.T) {
	p, _, ms := serve(t, t.TempDir())
	at := time.Now().Add(3 * time.Hour).Truncate(time.Hour).Add(56 * time.Minute) // the peak comes four minutes later
	file := filepath.Join(t.TempDir(), "plan.json")
	write := func(text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	write(peakPlan("double-11", at, 7*time.Minute))

	require.Contains(t, p.Must("plan", "apply", "-f", file, "--dry-run"), "midnight-gears starts")
	require.NotContains(t, p.Must("plan", "list"), "double-11", "a dry run saves nothing")
	p.Must("plan", "apply", "-f", file, "--reason", "first")
	require.Contains(t, p.Must("plan", "list"), "midnight-gears")
	require.Contains(t, p.Must("plan", "show", "double-11"), "the plan is draft")
	var d api.PlanDetail
	p.JSON(&d, "plan", "show", "double-11")
	require.Len(t, d.Steps, 3)
	write(strings.Replace(peakPlan("double-11", at, 7*time.Minute), `"until":"second",`, "", 1))
	out, err := p.Run("plan", "apply", "-f", file)
	require.Error(t, err)
	require.Contains(t, out, "steps[0]", "a step without an end is refused with its place")

	t.Log("rehearse")
	table := p.Must("plan", "rehearse", "double-11", "--peak", "2", "--day", "generated", "--seed", "2")
	require.Contains(t, table, "without it")
	require.Contains(t, table, "midnight-gears starts")
	require.Contains(t, p.Must("plan", "rehearsals", "double-11"), "generated")
	var list []api.Rehearsal
	p.JSON(&list, "plan", "rehearsals", "double-11")
	require.Len(t, list, 1)
	var r api.RehearsalDetail
	p.Client().Do(http.MethodGet, "/plans/double-11/rehearsals/"+list[0].ID, nil, &r)
	require.Equal(t, "done", r.State, r.Problem)
	require.Positive(t, r.With.Requests)
	require.Equal(t, r.With.Requests, r.Without.Requests)
	require.Len(t, r.At, len(r.Curve.QPS))
	var recall *api.RehearsalPoint
	for i := range r.Points {
		if r.Points[i].Point == "recall" {
			recall = &r.Points[i]
		}
	}
	require.NotNil(t, recall)
	for i, end := range r.At {
		want := 8.0
		if begin := end.Add(-time.Duration(r.StepMS) * time.Millisecond); !begin.Before(at) && !end.After(at.Add(7*time.Minute)) {
			want = 3
		} else if !begin.Before(at.Add(7*time.Minute)) && !end.After(at.Add(14*time.Minute)) {
			want = 5
		}
		require.InDelta(t, want, recall.Level[i], 1e-9, "%s", end)
		require.InDelta(t, 8, recall.ControlLevel[i], 1e-9)
	}
	var c api.RehearsalComparison
	p.JSON(&c, "plan", "compare", "double-11", r.ID)
	require.False(t, c.Ran)

	t.Log("approve, hold, resume, run a step at once, extend it, stop all")
	p.Must("plan", "approve", "double-11", "--reason", "looks right")
	require.Contains(t, p.Must("plan", "hold", "double-11", "--reason", "wait"), "held")
	p.Must("plan", "resume", "double-11", "--reason", "go on")
	p.Must("plan", "skip", "double-11", "second", "--reason", "one is enough")
	p.Must("plan", "run", "double-11", "midnight-gears", "--reason", "the peak is early")
	ms.Await(t, "the step is in force early", 1, servertest.Level(3))
	p.Must("plan", "extend", "double-11", "midnight-gears", "--for", "4h", "--reason", "it lasts")
	p.JSON(&d, "plan", "show", "double-11")
	require.Equal(t, "fired", d.Steps[0].Run.State)
	require.Equal(t, "skipped", d.Steps[1].Run.State)
	require.WithinDuration(t, time.Now().Add(4*time.Hour), *d.Steps[0].Run.End, time.Minute)
	p.JSON(&c, "plan", "compare", "double-11", r.ID)
	require.True(t, c.Ran)
	require.Contains(t, p.Must("plan", "stop", "double-11", "--reason", "over"), "stopped")
	ms.Await(t, "everything is let go", 1, servertest.Level(8))

	t.Log("what is left")
	md := p.Must("plan", "export", "double-11", "--format", "md")
	for _, want := range []string{"approve double-11: looks right", "fire double-11/midnight-gears: the peak is early", "skip double-11/second: one is enough", "| control | sn in na61, revision", "stop double-11: over", "on the day generated with a peak of 2x, done: lost "} {
		require.Contains(t, md, want)
	}
	require.Contains(t, p.Must("plan", "export", "double-11", "--format", "ics"), "BEGIN:VEVENT")
	require.Contains(t, p.Must("plan", "export", "double-11"), "name: double-11")
	p.Must("plan", "delete", "double-11", "--reason", "done with")
	require.NotContains(t, p.Must("plan", "list"), "double-11")
}

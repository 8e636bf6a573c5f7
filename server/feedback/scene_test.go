package feedback_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/allspark/allspark/server/allocation"
	"github.com/allspark/allspark/server/feedback"
	"github.com/allspark/allspark/server/scene"
)

// drive is a scene under regulation, on a plant without noise: RT is bias times the
// row in force, at least floor, with what is in force seen a second later.
type drive struct {
	state         feedback.SceneState
	set           feedback.SceneSettings
	target        time.Duration
	ladder        []time.Duration
	now, start    time.Time
	bias, floor   float64
	late, edge    float64 // timeouts of the front end and of the call
	row           float64 // in force
	seconds       int64   // measured since the last change or judgement
	blind, broken bool
}

func newDrive() *drive {
	start := time.Unix(1_700_000_000, 0).UTC()
	d := &drive{set: feedback.DefaultScene, target: 300 * time.Millisecond, now: start, start: start, bias: 1}
	d.set.Layer.Timeouts = 0.01
	for _, ms := range []int{220, 160, 130} {
		d.ladder = append(d.ladder, time.Duration(ms)*time.Millisecond)
	}
	return d
}

func (d *drive) second() (feedback.Action, string) {
	d.now = d.now.Add(time.Second)
	steps := []time.Duration{d.target}
	for _, x := range d.ladder {
		if x < d.target {
			steps = append(steps, x)
		}
	}
	in := feedback.SceneSample{
		Target: d.target, Steps: len(steps), First: 80, Last: 400, Calls: make([]feedback.LayerSample, 2),
		Ladder: func(step int) time.Duration { return steps[step-1] },
	}
	if d.row > 0 && !d.blind && d.now.Sub(d.state.Changed) > d.set.Settle {
		d.seconds++
		in.Front = feedback.LayerSample{Count: 100 * d.seconds, RT: max(d.bias*d.row, d.floor), Timeouts: d.late}
		in.Calls[1] = feedback.LayerSample{Count: 100 * d.seconds, Timeouts: d.edge}
		if d.broken {
			in.Front.RT = math.NaN()
		}
	}
	was := d.state
	var act feedback.Action
	d.state, act = feedback.StepScene(d.state, in, d.set, d.now)
	if !d.state.Judged.Equal(was.Judged) || !d.state.Changed.Equal(was.Changed) {
		d.seconds = 0
	}
	if act != feedback.Nothing {
		d.row = d.state.Index
	}
	said := ""
	if d.state.Reason != was.Reason || act != feedback.Nothing {
		said = fmt.Sprintf("%4ds %-8s %-8s row %3.0f RT %3.0f gear %d: %s\n", int(d.now.Sub(d.start).Seconds()), d.state.Phase,
			[]string{"-", "apply", "correct", "handover"}[act], d.state.Index, max(d.bias*d.row, d.floor), d.state.Gear.Step, d.state.Reason)
	}
	return act, said
}

func (d *drive) play(t *testing.T, command string) string {
	f := strings.Fields(command)
	number := func(i int) float64 {
		v, err := strconv.ParseFloat(f[i], 64)
		require.NoError(t, err, command)
		return v
	}
	var out bytes.Buffer
	switch f[0] {
	case "target":
		d.target = time.Duration(number(1)) * time.Millisecond
	case "bias":
		d.bias = number(1)
	case "floor":
		d.floor = number(1)
	case "timeouts":
		d.late = number(1)
	case "edge":
		d.edge = number(1)
	case "alone":
		d.set.Preset = false
	case "blind":
		d.blind = f[1] == "on"
	case "nan":
		d.broken = f[1] == "on"
	case "run":
		for range int(number(1)) {
			_, said := d.second()
			out.WriteString(said)
		}
	default:
		t.Fatalf("unknown command %q", command)
	}
	return out.String()
}

// As TestTimelines, for scenes.
func TestSceneTimelines(t *testing.T) {
	files, err := filepath.Glob("testdata/scenes/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			d := newDrive()
			var got bytes.Buffer
			for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
				switch {
				case strings.HasPrefix(line, "> "):
					got.WriteString(line + "\n" + d.play(t, line[2:]))
				case line == "" || strings.HasPrefix(line, "#"):
					got.WriteString(line + "\n")
				}
			}
			if *update {
				require.NoError(t, os.WriteFile(name, got.Bytes(), 0o644))
				return
			}
			require.Equal(t, string(text), got.String())
		})
	}
}

func TestAnyTableErrorSettlesOnTheTarget(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := newDrive()
		d.bias = rapid.Float64Range(0.75, 1.4).Draw(r, "bias")
		d.target = time.Duration(rapid.IntRange(130, 260).Draw(r, "target")) * time.Millisecond
		for range 150 {
			d.second()
			require.True(r, d.state.Index >= 80 && d.state.Index <= 400*1.01, "%g", d.state.Index)
		}
		require.InEpsilon(r, float64(d.target)/1e6, d.bias*d.row, 0.05)
		require.Equal(r, 1, d.state.Gear.Step)
	})
}

func TestPresetReadsARow(t *testing.T) {
	table := &allocation.Table{First: 100, Points: []string{"sn/rank", "creative/select"}, Calls: []string{"sn/edge"}}
	for ms := 100; ms <= 200; ms++ {
		table.Rows = append(table.Rows, allocation.Row{
			Target: ms, Timeouts: []float64{float64(ms)},
			Points: []allocation.PointRow{{Level: ms / 10, Setpoint: float64(ms) / 2}, {Level: ms / 20, Setpoint: float64(ms) / 4}},
		})
	}
	g := &scene.Graph{Nodes: []scene.Node{
		{ID: "in", Place: scene.Place{App: "creative", Point: "select"}, Within: "call"},
		{ID: "r", Place: scene.Place{App: "sn", Point: "rank"}},
		{ID: "call", Place: scene.Place{App: "sn", Point: "edge"}, External: true},
	}}
	layers, of := feedback.Layers(g)
	require.Len(t, layers, 2)
	require.Equal(t, []int{1, 0, 0}, of)
	shares, row, clamped := feedback.Preset(table, g, 160, []float64{1, 0.75})
	require.False(t, clamped)
	require.Equal(t, 160, row.Target)
	require.Equal(t, []feedback.Share{
		{Place: scene.Place{App: "creative", Point: "select"}, Level: 6, AvailableRT: 30 * time.Millisecond, Layer: 1}, // at 120 ms
		{Place: scene.Place{App: "sn", Point: "rank"}, Level: 16, AvailableRT: 80 * time.Millisecond},
		{Place: scene.Place{App: "sn", Point: "edge"}, Call: true, Timeout: 160 * time.Millisecond},
	}, shares)
	_, row, clamped = feedback.Preset(table, g, 60, nil)
	require.True(t, clamped)
	require.Equal(t, 100, row.Target)
}

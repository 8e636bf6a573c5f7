package feedback_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/server/feedback"
)

var update = flag.Bool("update", false, "write the timelines anew")

// timeline is a point under the central rule, on a plant without noise:
//
//	RT = gain·(2 ms + 12 ms·load·level/100)
//
// Delay makes the rule see what happened that many intervals ago.
type timeline struct {
	set               feedback.Settings
	state             feedback.State
	now, delay        int
	load, gain, spike float64
	past              []feedback.Sample
}

func (x *timeline) play(t *testing.T, command string) string {
	var out bytes.Buffer
	f := strings.Fields(command)
	number := func(i int) float64 {
		require.Greater(t, len(f), i, command)
		v, err := strconv.ParseFloat(f[i], 64)
		require.NoError(t, err, command)
		return v
	}
	sample := func() feedback.Sample {
		level := float64(x.state.Level)
		if level == 0 {
			level = float64(x.set.Start)
		}
		return feedback.Sample{Count: 1000, MeanRT: x.spike * x.gain * (2000 + 120*x.load*level), Level: level}
	}
	step := func(in feedback.Sample, show bool) {
		x.past = append(x.past, in)
		x.now += 10
		x.spike = 1
		if seen := len(x.past) - 1 - x.delay; seen >= 0 {
			var level int
			var reason string
			x.state, level, reason = feedback.Central(x.state, x.past[seen], x.set)
			if show {
				fmt.Fprintf(&out, "%4ds level %d: %s\n", x.now, level, reason)
			}
		}
	}
	switch f[0] {
	case "load":
		x.load = number(1)
	case "gain":
		x.gain *= number(1)
	case "delay":
		x.delay = int(number(1))
	case "max":
		x.set.MaxLevel = int(number(1))
	case "spike":
		x.spike = number(1)
	case "quiet", "run":
		for range int(number(1)) {
			step(sample(), f[0] == "run")
		}
	case "missing":
		for range int(number(1)) {
			step(feedback.Sample{}, true)
		}
	case "nan":
		step(feedback.Sample{Count: 1000, MeanRT: math.NaN()}, true)
	default:
		t.Fatalf("unknown command %q", command)
	}
	return out.String()
}

// Every file is prose, commands after ">", and what must be decided below them.
// Run with -update to write them anew, and read the difference.
func TestTimelines(t *testing.T) {
	files, err := filepath.Glob("testdata/timelines/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			x := &timeline{set: central(), load: 0.5, gain: 1, spike: 1}
			var got bytes.Buffer
			for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
				switch {
				case strings.HasPrefix(line, "> "):
					got.WriteString(line + "\n" + x.play(t, line[2:]))
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

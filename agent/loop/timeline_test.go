package loop_test

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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/loop"
)

var update = flag.Bool("update", false, "write the timelines anew")

// timeline is a crowd loop on a plant without noise, told to do things:
//
//	RT = gain·(1 ms + 11 ms·g·load/100)/(1-ρ),  ρ = rate·gain·demand/cores + other
//
// with loads of 50, 100 and 300 in equal numbers. Delay makes the loop see what
// happened that many intervals ago.
type timeline struct {
	set   loop.Settings
	state loop.State
	now   int
	rate  float64 // requests a second of each load
	gain  float64
	delay int
	past  []loop.Sample
	spike float64 // factor on RT in the next interval only
}

func (x *timeline) sample(seconds float64) loop.Sample {
	var in loop.Sample
	demand := func(load float64) float64 {
		g := x.state.Crowds[x.state.Assign[loop.Bin(load)]].Work
		return x.gain * (1000 + 11_000*g*load/100)
	}
	loads := []float64{50, 100, 300}
	rho := 0.0
	for _, l := range loads {
		rho += x.rate * demand(l) / 1e6 / 16
	}
	rho = min(rho, 0.97)
	for _, l := range loads {
		b := &in.Bins[loop.Bin(l)]
		rt := x.spike * demand(l) / (1 - rho)
		b.N = int64(x.rate * seconds)
		b.Sum = rt * float64(b.N)
		b.Square = rt * rt * float64(b.N) * 1.25 // CV 0.5
	}
	in.Utilisation = rho
	return in
}

func (x *timeline) say(out *bytes.Buffer, reason func(c *loop.Crowd) string) {
	for k := range x.state.Count {
		c := &x.state.Crowds[k]
		if c.N == 0 && !c.Warm {
			continue
		}
		bound := ""
		if c.Bound != loop.Free {
			bound = " " + string(c.Bound)
		}
		fmt.Fprintf(out, "%4ds crowd %d g %.3f%s: %s\n", x.now, k, c.Work, bound, reason(c))
	}
}

// play runs one command and gives what was decided.
func (x *timeline) play(t *testing.T, command string) string {
	var out bytes.Buffer
	f := strings.Fields(command)
	number := func(i int) float64 {
		require.Greater(t, len(f), i, command)
		v, err := strconv.ParseFloat(f[i], 64)
		require.NoError(t, err, command)
		return v
	}
	last := func(c *loop.Crowd) string { return c.Reason }
	step := func(in loop.Sample) {
		x.past = append(x.past, in)
		if seen := len(x.past) - 1 - x.delay; seen >= 0 {
			x.state = loop.Step(x.state, &x.past[seen], x.set)
		}
		x.now += int(x.set.Interval / time.Second)
		x.spike = 1
	}
	switch f[0] {
	case "load": // rate of each load
		x.rate = number(1)
	case "gain":
		x.gain *= number(1)
	case "delay":
		x.delay = int(number(1))
	case "T":
		x.set.AvailableRT = number(1) * 1000
	case "cap":
		x.set.MaxWork = number(1)
	case "pin":
		x.set.Pinned, x.set.Start = number(1) > 0, number(1)
	case "spike":
		x.spike = number(1)
	case "quiet": // intervals that are run but not shown
		for range int(number(1)) {
			step(x.sample(10))
		}
	case "run":
		for range int(number(1)) {
			step(x.sample(10))
			x.say(&out, last)
		}
	case "missing":
		for range int(number(1)) {
			step(loop.Sample{Utilisation: -1})
			x.say(&out, last)
		}
	case "nan":
		in := x.sample(10)
		for b := range in.Bins {
			in.Bins[b].Sum, in.Bins[b].Square = math.NaN(), math.Inf(1)
		}
		in.Utilisation = math.NaN()
		step(in)
		x.say(&out, last)
	case "fast": // emergency windows
		for range int(number(1)) {
			in := x.sample(2)
			var moved bool
			x.state, moved = loop.Emergency(x.state, &in, x.set)
			x.now += 2
			fmt.Fprintf(&out, "%4ds moved %v\n", x.now, moved)
			if moved {
				x.say(&out, last)
			}
		}
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
			set := settings(12 * time.Millisecond)
			set.Crowds = 3
			x := &timeline{set: set, rate: 60, gain: 1, spike: 1}
			x.state = loop.NewState(set)
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

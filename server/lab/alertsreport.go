package lab

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/allspark/allspark/server/alert"
)

// Markdown gives the page of results.
func (r *AlertResults) Markdown(x *Alerts, command string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	say("# What the alert rules find\n\nMade by `%s`. Do not edit: run it again.\n\n", command)
	say("The standard engine with %d machines of each app in one IDC, under the crowd loops, reporting every second to the production telemetry; "+
		"the production rules (`server/alert`) look once a second. Times are virtual, from the fault to the raised alert. "+
		"Thresholds were chosen on seeds up to %d; these runs use the ones after.\n", watchedMachines, TuningSeeds)
	if len(r.Caught) > 0 {
		r.faults(say)
	}
	if len(r.Calm) > 0 {
		r.calm(say)
	}
	return b.String()
}

// TuningSeeds are those on which thresholds were chosen.
const TuningSeeds = 100_000

func (r *AlertResults) faults(say func(string, ...any)) {
	say("\n## Injected faults\n\nAt the search node, at 0.6 to 1.4 times the nominal load; %d sizes of each kind, %.4g to %.4g times worse in equal steps of the logarithm. "+
		"Every second one happens in the kind's other way. Caught: raised under its name within %v. Also named: another alert was raised in that time, too.\n\n",
		len(FaultSizes()), FaultSizes()[0], FaultSizes()[len(FaultSizes())-1], caughtWithin)
	say("| kind | how | trace | caught | of | median s | slowest s | first | also named |\n|---|---|---|---:|---:|---:|---:|---:|---|\n")
	hows := map[alert.Kind]string{
		alert.InputShift: "load of every request × or ÷ size", alert.Capacity: "all machines slower, or cores missing",
		alert.BadRelease: "new build on all machines, or on two of six", alert.BadMachine: "one machine of six slower",
	}
	total, all := 0, 0
	for _, kind := range FaultKinds() {
		for _, trace := range []string{"conv", "code"} {
			var took []time.Duration
			n, first := 0, 0
			wrong := map[alert.Kind]int{}
			for _, c := range r.Caught {
				if c.Fault.Kind != kind || c.Trace != trace {
					continue
				}
				n++
				if c.After > 0 {
					took = append(took, c.After)
				}
				if c.First {
					first++
				}
				for _, k := range c.Wrong {
					wrong[k]++
				}
			}
			if n == 0 {
				continue
			}
			slices.Sort(took)
			mid, slow := "-", "-"
			if len(took) > 0 {
				mid, slow = fmt.Sprintf("%.0f", took[len(took)/2].Seconds()), fmt.Sprintf("%.0f", took[len(took)-1].Seconds())
			}
			var also []string
			for _, k := range alert.Kinds() {
				if wrong[k] > 0 {
					also = append(also, fmt.Sprintf("%s %d", k, wrong[k]))
				}
			}
			say("| %s | %s | %s | %d | %d | %s | %s | %d | %s |\n", kind, hows[kind], trace, len(took), n, mid, slow, first, strings.Join(also, ", "))
			total, all = total+len(took), all+n
		}
	}
	say("\n**%d of %d caught (%.1f %%).**\n", total, all, 100*float64(total)/float64(all))
	var missed []string
	for _, c := range r.Caught {
		if c.After == 0 {
			how := ""
			if c.Fault.Other {
				how = ", other way"
			}
			missed = append(missed, fmt.Sprintf("%s × %.2f%s (%s, load %.2f, seed %d)", c.Fault.Kind, c.Fault.Size, how, c.Trace, c.Load, c.Seed))
		}
	}
	if len(missed) > 0 {
		say("\nMissed: %s.\n", strings.Join(missed, "; "))
	}
}

func (r *AlertResults) calm(say func(string, ...any)) {
	say("\n## Days without faults\n\nTwo peaks, 0.6 to 2 times nominal; midnight: a step from the day's curve to 4 times nominal at its middle. " +
		"Three harmless builds are rolled out in each. Every alert is false.\n\n| day | seed | hours | false alerts | which |\n|---|---:|---:|---:|---|\n")
	total, hours := 0, 0.0
	for _, c := range r.Calm {
		var which []string
		for _, x := range c.Raised {
			which = append(which, fmt.Sprintf("%s at %s (%s)", x.Alert.Kind, began.Add(x.At).Format("15:04:05"), x.Alert.Scope.App))
		}
		say("| %s | %d | %.4g | %d | %s |\n", c.Day, c.Seed, c.Hours, len(c.Raised), strings.Join(which, "; "))
		total, hours = total+len(c.Raised), hours+c.Hours
	}
	days := max(hours/24, 1e-9)
	low, high := Rare(total)
	say("\n**%d false alerts in %.4g simulated days: %.2f a day (95 %% interval %.2f to %.2f).**\n", total, hours/24, float64(total)/days, low/days, high/days)
}

package lab

import (
	"fmt"
	"math"
	"strings"
)

// TrialPage gives the page of results.
func TrialPage(x *Trials, all []Trial, command string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	users := x.Users
	if users == 0 {
		users = TrialUsers
	}
	say("# What experiments find\n\nMade by `%s`. Do not edit: run it again.\n\n", command)
	say("Each run draws %d users who ask a point for an hour, %.0f requests each in the mean. Some ask far more often than others "+
		"(σ of ln rate %.1f), are worth far more (σ of ln value %.1f) and are slower. Half of the slices are one arm, half the other; in the second each request earns "+
		"the planted lift more, and takes half of that less time. Claims, orders, buckets, meter and estimator are those of production; only the users are made up. "+
		"Seeds %d to %d, the same users and requests at every lift. See `server/experiment` for the method.\n\n", users, askMean, activitySD, valueSD, x.Offset+1, x.Offset+uint64(x.Runs))

	say("## Does the 95 %% interval cover the truth?\n\nShare of %d runs; the standard error of a share of 95 %% is %.1f points. Groups of users is what the console shows. "+
		"The last two columns are the same data with requests, or the %d five-minute stretches, taken for independent draws: what must not be done.\n\n", x.Runs, 100*0.218/math.Sqrt(float64(x.Runs)), trialLooks)
	say("| planted lift of value | covered | half width | covered, RT | covered, always-valid | half width | requests as units | minutes as units |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	x.each(all, func(lift float64, runs []Trial) {
		once := func(t *Trial) Verdict { return t.Once }
		always := func(t *Trial) Verdict { return t.Anytime }
		say("| %+.0f %% | %s | ±%.1f %% | %s | %s | ±%.1f %% | %s | %s |\n", 100*lift, covered(runs, once), 100*width(runs, once), covered(runs, func(t *Trial) Verdict { return t.RTOnce }),
			covered(runs, always), 100*width(runs, always), covered(runs, func(t *Trial) Verdict { return t.Requests }), covered(runs, func(t *Trial) Verdict { return t.Minutes }))
	})

	say("\n## Is a lift found?\n\nShare of runs in which the interval excludes no lift. At lift 0 that is the rate of false findings, nominally 5 %%. "+
		"Any look: at one or more of %d looks during the hour, as by somebody who watches the page; for that the console shows the always-valid interval while an experiment runs.\n\n", trialLooks)
	say("| planted lift of value | at the end | at any look, the same interval | at any look, always-valid |\n|---:|---:|---:|---:|\n")
	x.each(all, func(lift float64, runs []Trial) {
		say("| %+.0f %% | %s | %s | %s |\n", 100*lift, share(runs, func(t *Trial) bool { return t.Once.Found }),
			share(runs, func(t *Trial) bool { return t.PeekOnce }), share(runs, func(t *Trial) bool { return t.PeekAny }))
	})

	say("\n## Does the sample-ratio check warn when it should?\n\nShare of runs with p below the threshold. The console warns below 0.001. As it stands: Pearson's chi-squared on requests.\n\n")
	say("| | p < 0.05 | p < 0.001 |\n|---|---:|---:|\n")
	row := func(name string, p func(*Trial) float64) {
		at := func(limit float64) string {
			return share(all[:x.Runs], func(t *Trial) bool { return p(t) < limit })
		}
		say("| %s | %s | %s |\n", name, at(0.05), at(0.001))
	}
	row("traffic divides as it should", func(t *Trial) float64 { return t.Ratio })
	row("the same, chi-squared as it stands", func(t *Trial) float64 { return t.RatioPlain })
	row("a tenth of one arm's requests is lost", func(t *Trial) float64 { return t.RatioLost })
	return b.String()
}

// each gives the runs of each lift.
func (x *Trials) each(all []Trial, f func(lift float64, runs []Trial)) {
	for l, lift := range x.Lifts {
		f(lift, all[l*x.Runs:(l+1)*x.Runs])
	}
}

func share(runs []Trial, f func(*Trial) bool) string {
	n := 0
	for i := range runs {
		if f(&runs[i]) {
			n++
		}
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(len(runs)))
}

func covered(runs []Trial, f func(*Trial) Verdict) string {
	return share(runs, func(t *Trial) bool { return f(t).Covers })
}

func width(runs []Trial, f func(*Trial) Verdict) (mean float64) {
	for i := range runs {
		mean += f(&runs[i]).Half / float64(len(runs))
	}
	return mean
}

package lab

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
)

// SceneReport plays everything that is published of scenes, and writes it as a page
// and, to plot, the courses after a changed target as SVG.
func SceneReport(ctx context.Context, workers, seeds int, page, plot io.Writer) error {
	standard, depths, err := Retargets(ctx, workers, seeds)
	if err != nil {
		return err
	}
	linked, err := LinkedAgainstIsolated(ctx, workers, seeds)
	if err != nil {
		return err
	}
	day, err := TwoPeaks(ctx, workers, seeds)
	if err != nil {
		return err
	}
	predicted, err := Predictions(ctx, workers)
	if err != nil {
		return err
	}
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	say("# Scenes in the lab\n\nMade by `allspark lab scenes --seeds %d`. Do not edit: run it again.\n\n"+
		"The production rules (`feedback.StepScene`, `allocation.Build`, the crowd loop) in virtual time on the engine model. "+
		"Recall has crowds, as in the sample engine; the other points run exactly at the level of the row. Every point of a chain has crowds. "+
		"Crowds keep their row's level as their cap under feedback too, by the rule that a controller writes its claims with (`feedback.CapOf`): lifted to the template's level at the hand-over, as a controller did once, 65 instead of 96 %% of the windows of chains were within 5 %% on five seeds, and cut work was 0.14 instead of 0.04 at an equal value. "+
		"Pushing takes no time here. Profiles are measured on other seeds than those that are played, app by app: each is turned through its levels while the others run at the middle of theirs.\n\n", seeds)
	say("## A target changed from 300 to 160 ms\n\nThree machines of each app in two IDCs at the nominal load, %d seeds, %d s from the save on. "+
		"Within 15 %%: seconds from the save until the mean RT of a second stays within 15 %% of the target for five in a row, mean over seeds. Within 5 %%: share of windows of 10 s from the hand-over on, noise of the windows included. Of a constant row: the same share where the row of 160 ms is held without feedback and each run's windows are compared with the run's own mean; what is missing from 100 %% there is noise that no setting takes away. "+
		"Timeout-request-seconds: what requests spent beyond 1.5 times the target. A preset that is too slow is taken back while it is held, one that is too fast not before its 20 s are over.\n\n| | within 15 %%, s | within 5 %% | of a constant row | timeout-request-seconds | timed out in front |\n|---|---:|---:|---:|---:|---:|\n", seeds, retargetFor)
	retargetRows(say, standard, nil)
	say("\n## Depth\n\nChains of calls within calls, two machines an app, from four fifths of the slowest row (at most 400 ms) to 160/300 of that. What a preset misses of a constant row lies mostly in the first half minute after the hand-over: crowds settle some per cent below their setpoints, which rows do not count, and rise step by step.\n\n![Courses of RT and of timeout-request-seconds after the save](scenes.svg)\n\n" +
		"| depth | | within 15 %%, s | within 5 %% | of a constant row | timeout-request-seconds | timed out in front |\n|---:|---|---:|---:|---:|---:|---:|\n")
	retargetRows(say, depths, func(i int) string { return fmt.Sprintf("| %d ", i/2+1) })
	say("\n## Linked against isolated\n\nThe same machines and requests; rows of a table whose solver sees that prerank and rank work on the results above them, against one that does not. Target 160 ms for both scenes, %d paired seeds, mean with 95 %% interval. "+
		"Value is earned / offered; cut work is the share of what was worked out above that the point below cut off; recall's template allows no more than its level 80 by itself, which bounds what an isolated row can waste.\n\n"+
		"| load | value linked | isolated | difference | cut linked | isolated | difference | RT of k2 linked, isolated |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n", seeds)
	for _, x := range linked {
		say("| %.1f | %.4f | %.4f | %+.4f ± %.4f | %.3f | %.3f | %+.3f ± %.3f | %.0f, %.0f ms |\n", x.Load, x.Linked.Mean, x.Isolated.Mean, x.Value.Mean, x.Value.Half,
			x.CutLinked.Mean, x.CutIsolated.Mean, x.Cut.Mean, x.Cut.Half, x.RTLinked, x.RTIsolated)
	}
	say("\n## A day at 130 ms\n\nTwo peaks between 0.6 and 2 times the nominal load in 900 s, %d seeds, %d windows of 10 s; feeds at 160 ms beside it. Off bound: the row in force lies at neither end of the table in any IDC.\n\n"+
		"| | |\n|---|---:|\n| windows at or under 136.5 ms | %.1f %% |\n| windows off bound | %.1f %% |\n| of those, within 5 %% of 130 ms | %.1f %% |\n| mean RT | %.1f ms |\n"+
		"| after the target is raised to 200 ms: RT | %.1f ms |\n| mean level of the row before, three minutes after | %.1f, %.1f |\n",
		seeds, day.Windows, 100*day.Under, 100*day.OffBound, 100*day.Within5, day.RTBefore, day.RTAt, day.Before, day.After)
	say("\n## Predicted against measured\n\nRows of k2 held at the nominal load, end to end, %d seeds. With crowds: as rows are obeyed, recall with crowds and feeds at its own 300 ms. Exact: every point of both scenes exactly at the row's levels, on the first minutes of the trace. "+
		"A table knows a point at what the other apps did while it was measured. Score works on each of the results that rank hands it, which no profile tells of: under the longest rows it takes up to twice what it took with rank at its middle level, and these say too little most of all. "+
		"4 ms in front and on the way between apps belong to no point either.\n\n"+
		"| statistic | row, ms | with crowds: predicted, ms | measured, ms | error | exact: predicted, ms | measured, ms | error |\n|---|---:|---:|---:|---:|---:|---:|---:|\n", predictedSeeds)
	for _, x := range predicted {
		say("| %s | %d | %.1f | %.1f | %+.1f %% | %.1f | %.1f | %+.1f %% |\n", x.Statistic, x.Target, x.Crowds, x.WithCrowds, 100*(x.Crowds/x.WithCrowds-1), x.Predicted, x.Measured, 100*(x.Predicted/x.Measured-1))
	}
	if _, err := io.WriteString(page, b.String()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if err := courses(plot, standard, depths); err != nil {
		return fmt.Errorf("write the plot: %w", err)
	}
	return nil
}

func retargetRows(say func(string, ...any), rows []Retarget, first func(i int) string) {
	for i, x := range rows {
		if first != nil {
			say("%s", first(i))
		}
		held := ""
		if x.Ceiling > 0 {
			held = fmt.Sprintf("%.1f %%", 100*x.Ceiling)
		}
		say("| %s | %.1f | %.1f %% | %s | %.1f | %.2f %% |\n", x.Name, x.Within15, 100*x.Within5, held, x.Over, 100*x.Late)
	}
}

// line is a course in a panel of the plot.
type line struct {
	name string
	of   *Retarget
}

// courses plots RT beside the target, and timeout-request-seconds below it, by
// second from the save on: by feedback alone a line a depth, and on the standard
// model a line a table.
func courses(w io.Writer, standard, depths []Retarget) error {
	const width, height, left, gap = 640.0, 190.0, 46.0, 44.0
	colours := []string{"#0b6bcb", "#b3541e", "#2e7d32", "#8e24aa", "#c62828", "#00838f"}
	var alone, tables []line
	for i := 0; i < len(depths); i += 2 {
		alone = append(alone, line{fmt.Sprintf("depth %d", i/2+1), &depths[i]})
	}
	for i := range standard {
		tables = append(tables, line{standard[i].Name, &standard[i]})
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11"><rect width="100%%" height="100%%" fill="#fff"/>`, width+left+230, 4*(height+gap)+gap)
	top := gap
	panel := func(title string, lines []line, most float64, of func(r *Retarget, t int) float64) {
		if most == 0 {
			for _, l := range lines {
				for t := range l.of.RT {
					most = max(most, of(l.of, t))
				}
			}
			most = max(math.Ceil(most*10)/10, 0.1)
		}
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f">%s</text><rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="none" stroke="#999"/>`, left, top-8, title, left, top, width, height)
		for _, v := range []float64{0, most / 2, most} {
			fmt.Fprintf(&b, `<text x="4" y="%.1f">%.3g</text>`, top+height*(1-v/most)+4, v)
		}
		for i, l := range lines {
			fmt.Fprintf(&b, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, colours[i%len(colours)])
			for t := 0; t < retargetFor; t += 2 {
				fmt.Fprintf(&b, "%.1f,%.1f ", left+width*float64(t)/retargetFor, top+height*(1-min(max(of(l.of, t), 0), most)/most))
			}
			fmt.Fprintf(&b, `"/><text x="%.0f" y="%.0f" fill="%s">%s</text>`, left+width+8, top+14+16*float64(i), colours[i%len(colours)], l.name)
		}
		fmt.Fprintf(&b, `<text x="%.0f" y="%.0f">0 s: target saved</text><text x="%.0f" y="%.0f" text-anchor="end">%d s</text>`, left, top+height+14, left+width, top+height+14, retargetFor)
		top += height + gap
	}
	ratio := func(r *Retarget, t int) float64 { return r.RT[t] / r.Target }
	overs := func(r *Retarget, t int) float64 { return r.Overs[t] }
	panel("Chains, feedback alone: RT / target", alone, 2.5, ratio)
	panel("Chains, feedback alone: timeout-request-seconds in each second", alone, 0, overs)
	panel("Standard model, 300 to 160 ms: RT / target", tables, 2.5, ratio)
	panel("Standard model: timeout-request-seconds in each second", tables, 0, overs)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

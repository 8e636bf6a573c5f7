package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Line is one entry of a war log: what happened, who did it.
type Line struct {
	At   time.Time
	Who  string
	What string
}

// WarLog writes what happened around a plan as Markdown, for the review after
// the peak. Names and reasons are other people's text and are made inert.
func WarLog(p *Plan, runs []Run, lines []Line) string {
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		zone = time.UTC
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return "-"
		}
		return t.In(zone).Format("2006-01-02 15:04:05.000")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", inert(p.Name))
	if p.Purpose != "" {
		fmt.Fprintf(&b, "%s\n\n", inert(p.Purpose))
	}
	fmt.Fprintf(&b, "Owner %s, executor %s, approved by %s. State %s. Times are of %s.\n\n", inert(p.Owner), inert(p.Executor), inert(orDash(p.ApprovedBy)), p.State, p.Zone)
	if p.Glass != "" {
		fmt.Fprintf(&b, "**Approved by breaking the glass: %s**\n\n", inert(p.Glass))
	}
	b.WriteString("## Steps\n\n| occurrence | step | state | planned | fired | late | end | note |\n|---|---|---|---|---|---|---|---|\n")
	runs = slices.Clone(runs)
	slices.SortStableFunc(runs, func(a, b Run) int { return a.Start.Compare(b.Start) })
	for _, r := range runs {
		late := "-"
		if !r.FiredAt.IsZero() {
			late = r.FiredAt.Sub(r.Start).Round(time.Millisecond).String()
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Occurrence, inert(r.Step), r.State, at(r.Start), at(r.FiredAt), late, at(r.End), inert(r.Reason))
	}
	b.WriteString("\n## Log\n\n| time | who | what |\n|---|---|---|\n")
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b Line) int { return a.At.Compare(b.At) })
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", at(l.At), inert(l.Who), inert(l.What))
	}
	return b.String()
}

func orDash(s string) string {
	if s == "" {
		return "nobody"
	}
	return s
}

// inert keeps a text from being read as Markdown or HTML.
func inert(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "#", `\#`).Replace(s)
}

package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Line is one entry of a war log: what happened, who did it.
type Line struct {
	At       time.Time
	Who      string
	What     string
	App, IDC string // of an order, with its revision in the journal; "" and 0 of what people did
	Revision int64
}

// Log is what happened around a plan.
type Log struct {
	Plan      *Plan
	Runs      []Run  // by start
	Lines     []Line // oldest first
	Truncated bool   // there was more
}

// NewLog puts runs and lines in order.
func NewLog(p *Plan, runs []Run, lines []Line, truncated bool) *Log {
	l := &Log{p, slices.Clone(runs), slices.Clone(lines), truncated}
	slices.SortStableFunc(l.Runs, func(a, b Run) int { return a.Start.Compare(b.Start) })
	slices.SortStableFunc(l.Lines, func(a, b Line) int { return a.At.Compare(b.At) })
	return l
}

// Markdown writes the log for the review after the peak. Names and reasons are
// other people's text and are made inert.
func (l *Log) Markdown() string {
	p := l.Plan
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
	for _, r := range l.Runs {
		late := "-"
		if !r.FiredAt.IsZero() {
			late = r.FiredAt.Sub(r.Start).Round(time.Millisecond).String()
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Occurrence, inert(r.Step), r.State, at(r.Start), at(r.FiredAt), late, at(r.End), inert(r.Reason))
	}
	b.WriteString("\n## Log\n\n| time | who | what |\n|---|---|---|\n")
	for _, x := range l.Lines {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", at(x.At), inert(x.Who), inert(x.What))
	}
	if l.Truncated {
		b.WriteString("\nThere was more than is shown here; the audit log and the journal have all of it.\n")
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

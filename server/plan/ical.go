package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const icalTime = "20060102T150405Z"

// ICal writes occurrences as an RFC 5545 calendar, an event a step; a step with
// an end lasts until it. Stamp is when it was written.
func ICal(os []Occurrence, stamp time.Time) string {
	var b strings.Builder
	line := func(name, value string) {
		text := name + ":" + value
		for i := 0; len(text) > 0; i++ { // at most 75 bytes a line, continued by a space
			n := 75
			if i > 0 {
				b.WriteByte(' ')
				n = 74
			}
			if len(text) < n {
				n = len(text)
			}
			for n < len(text) && text[n]&0xc0 == 0x80 {
				n-- // never within a character
			}
			b.WriteString(text[:n] + "\r\n")
			text = text[n:]
		}
	}
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", "-//AllSpark//TimePlanner//EN")
	for i := range os {
		for _, in := range os[i].Steps {
			end := in.End
			if end.IsZero() {
				end = in.Start.Add(time.Minute)
			}
			line("BEGIN", "VEVENT")
			line("UID", icalText(in.Key.Plan+"/"+in.Occurrence+"/"+in.Key.Step+"@allspark"))
			line("DTSTAMP", stamp.UTC().Format(icalTime))
			line("SEQUENCE", strconv.FormatInt(in.Plan.Epoch, 10)) // an edited plan takes the place of what was imported
			line("STATUS", icalStatus(in.Plan.State))
			line("DTSTART", in.Start.UTC().Format(icalTime))
			line("DTEND", end.UTC().Format(icalTime))
			line("SUMMARY", icalText(fmt.Sprintf("%s: %s (%s)", in.Plan.Name, in.Step.Name, in.Step.Do)))
			line("DESCRIPTION", icalText(fmt.Sprintf("%s\nowner %s, executor %s\n%s", in.Plan.Purpose, in.Plan.Owner, in.Plan.Executor, strings.Join(in.Step.Texts(), "\n"))))
			line("END", "VEVENT")
		}
	}
	line("END", "VCALENDAR")
	return b.String()
}

// icalStatus is how sure a step is.
func icalStatus(s State) string {
	switch s {
	case Approved, Done:
		return "CONFIRMED"
	case Stopped:
		return "CANCELLED"
	}
	return "TENTATIVE"
}

// icalText escapes a text; control characters have no place in one.
func icalText(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\n", `\n`).Replace(s)
}

// Texts says what a step sets, a line a claim.
func (s *Step) Texts() []string {
	if s.Do.Terminal() {
		return []string{string(s.Do)}
	}
	in := Instance{Plan: &Plan{}, Step: s}
	var out []string
	for _, c := range Claims(&in, "") {
		out = append(out, c.Scope.String()+": "+c.ValueText())
	}
	return out
}

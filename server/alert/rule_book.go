package alert

import (
	"cmp"
	"slices"
	"time"
)

// blink is how long something wrong may go unseen and still count as one.
const blink = 3 * time.Second

// pending is something that was seen wrong and is not told yet, or stands.
type pending struct {
	since time.Time
	last  time.Time
	worst Sighting
	alert *Alert // nil until it fired
}

// Book turns sightings into alerts: what is wrong for long enough is raised, what
// is right for long enough is resolved. It knows no clock.
type Book struct{ open map[string]*pending }

// NewBook makes a book of the alerts that stand, as a successor finds them.
func NewBook(standing []*Alert, now time.Time) *Book {
	b := &Book{open: map[string]*pending{}}
	for _, a := range standing {
		b.open[a.Fingerprint] = &pending{since: a.StartedAt, last: now, alert: a}
	}
	return b
}

// Step takes what is wrong now and gives what is to be raised and resolved.
func (b *Book) Step(seen []Sighting, rules Rules, now time.Time) (raise, resolve []*Alert) {
	for i := range seen {
		s := &seen[i]
		key := s.Fingerprint()
		p := b.open[key]
		if p == nil || p.alert == nil && now.Sub(p.last) > blink {
			p = &pending{since: now, worst: *s}
			b.open[key] = p
		}
		p.last = now
		if s.Value >= p.worst.Value {
			p.worst = *s
		}
		if p.alert != nil {
			p.alert.Value, p.alert.Reason, p.alert.Places = s.Value, s.Reason, s.Places
			continue
		}
		if r := rules[s.Kind]; now.Sub(p.since) >= r.For {
			raise = append(raise, newAlert(s, r, p.since, now))
		}
	}
	for key, p := range b.open {
		switch {
		case p.alert == nil && now.Sub(p.last) > blink:
			delete(b.open, key)
		case p.alert != nil && !rules[p.alert.Kind].Enabled:
			resolve = append(resolve, ended(p.alert, now, "its rule was switched off"))
		case p.alert != nil && now.Sub(p.last) >= max(rules[p.alert.Kind].Clear, blink):
			resolve = append(resolve, ended(p.alert, now, "not seen for "+now.Sub(p.last).Round(time.Second).String()))
		}
	}
	slices.SortFunc(resolve, func(a, b *Alert) int { return cmp.Compare(a.Fingerprint, b.Fingerprint) })
	return raise, resolve
}

// Raised notes that an alert was written, and Dropped that it is gone.
func (b *Book) Raised(a *Alert) {
	if p := b.open[a.Fingerprint]; p != nil {
		p.alert = a
	}
}

// Dropped forgets an alert.
func (b *Book) Dropped(a *Alert) { delete(b.open, a.Fingerprint) }

// Standing gives the alerts that stand.
func (b *Book) Standing() (out []*Alert) {
	for _, p := range b.open {
		if p.alert != nil {
			out = append(out, p.alert)
		}
	}
	slices.SortFunc(out, func(a, b *Alert) int {
		return cmp.Or(a.FiredAt.Compare(b.FiredAt), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func newAlert(s *Sighting, r Rule, since, now time.Time) *Alert {
	a := &Alert{
		Fingerprint: s.Fingerprint(), Kind: s.Kind, Severity: r.Severity, Scope: s.Scope, Reason: s.Reason,
		Value: s.Value, Limit: s.Limit, Places: s.Places, StartedAt: since, FiredAt: now,
	}
	if s.Critical {
		a.Severity = Critical
	}
	return a
}

func ended(a *Alert, now time.Time, why string) *Alert {
	n := *a
	n.ResolvedAt, n.Ending = now, why
	return &n
}

// Deliveries says what is to be written for an event: one a sink that wants it.
func deliveries(a *Alert, e Event, sinks []*Sink, now time.Time) (out []Delivery) {
	for _, s := range sinks {
		if s.Wants(a) && (e == Firing || s.Resolved) {
			out = append(out, Delivery{Alert: a.ID, Sink: s.ID, Event: e, NextAt: now, CreatedAt: now})
		}
	}
	return out
}

// Retries.
const (
	// firstRetry doubles with every attempt up to maxRetry.
	firstRetry = 2 * time.Second
	maxRetry   = 2 * time.Minute
	// giveUpAfter is when a message is old news.
	giveUpAfter = time.Hour
	// longError bounds what is kept of a sink's answer.
	longError = 300
)

// attempted notes how an attempt ended.
func attempted(d Delivery, err error, now time.Time) Delivery {
	d.Attempts++
	if err == nil {
		d.SentAt, d.Error = now, ""
		return d
	}
	d.Error = err.Error()
	if len(d.Error) > longError {
		d.Error = d.Error[:longError]
	}
	wait := min(firstRetry<<min(d.Attempts-1, 10), maxRetry)
	d.NextAt = now.Add(wait)
	d.GivenUp = now.Sub(d.CreatedAt) > giveUpAfter
	return d
}

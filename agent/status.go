package agent

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Status is how an agent stands, for a health page and for logs.
type Status struct {
	Instance   string
	Connected  bool
	Controller string    // the address last tried
	Since      time.Time // when Connected last changed
	LastError  string    // why there is no stream

	Rung   gear.Rung    // the step of the fallback ladder that answers
	Held   gear.Version // the orders held, in force or not
	Points []PointStatus

	// Refusal says why the newest orders were refused; nil when they were not.
	Refusal gear.Problems
	// Disk says why the orders could not be read from or kept in DataDir.
	Disk error

	// ClockAhead is how far the machine's clock is ahead of reference time, once
	// ClockKnown.
	ClockAhead time.Duration
	ClockKnown bool
}

// PointStatus is how a point stands for scene "*".
type PointStatus struct {
	Name  string
	Rung  gear.Rung
	Level int // 0 on defaults
}

// Status tells how the agent stands. It is not for the path of a request.
func (a *Agent) Status() Status {
	set := a.box.Load()
	held, _ := a.box.Held()
	s := Status{Instance: a.cfg.Instance, Rung: set.Rung, Held: held}
	for i, p := range a.box.Decls() {
		s.Points = append(s.Points, PointStatus{Name: p.Name, Rung: set.RungAt(i), Level: set.Entry(i, 0).Rule.Row.Level})
	}
	a.mu.Lock()
	s.Disk = a.disk
	a.mu.Unlock()
	if a.link != nil {
		l := a.link.Status()
		s.Instance, s.Connected, s.Controller, s.Since, s.LastError = l.Instance, l.Connected, l.Controller, l.Since, l.LastError
		s.Refusal = l.Refusal
		_, s.ClockAhead, s.ClockKnown = a.link.Reference()
	}
	return s
}

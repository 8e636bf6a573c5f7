package link

import (
	"fmt"
	"slices"
	"time"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// Bounds on what a welcome may ask for.
const (
	minReport, maxReport = 100 * time.Millisecond, time.Minute
	minFrame, maxFrame   = time.Millisecond, time.Second
	minClock, maxClock   = 100 * time.Millisecond, 10 * time.Minute
)

// receive handles messages until the stream ends; the error is never nil.
func (s *session) receive() error {
	for {
		m, err := s.stream.Recv()
		if err != nil {
			return err
		}
		if s.welcomed.Load() > 0 {
			s.watchdog.Reset(silentIntervals * s.link.Intervals().Clock)
		}
		if s.handle(m) {
			return errGoodbye
		}
	}
}

// handle takes one message; done says that it was the last. Bodies of a newer
// controller that this build does not know are ignored.
//
// What is held counts as wanted as soon as orders came, or when none came for
// confirmAfter: a controller answers clock probes before it sends the set that
// replaces orders whose TTL has run out.
func (s *session) handle(m *agentv1.ConnectResponse) (done bool) {
	l := s.link
	switch body := m.GetBody().(type) {
	case *agentv1.ConnectResponse_Welcome:
		s.welcome(body.Welcome)
	case *agentv1.ConnectResponse_Tables:
		l.tables(body.Tables)
	case *agentv1.ConnectResponse_Orders:
		l.orders(body.Orders)
		l.cfg.Box.Contact()
	case *agentv1.ConnectResponse_Staged:
		l.staged(body.Staged)
	case *agentv1.ConnectResponse_Clock:
		l.clock.exchange(time.Unix(0, body.Clock.GetAgentSentNs()), l.clock.local(), time.Unix(0, body.Clock.GetReferenceNs()))
		l.settle()
	case *agentv1.ConnectResponse_BaseQuotas:
		// A frame with anything wrong in it is dropped: the next comes in 100 ms,
		// and without one the ladder of the base quota answers.
		if q, problems := wire.ToBaseQuotas(body.BaseQuotas); len(problems) == 0 && l.cfg.Quota != nil {
			l.cfg.Quota.Apply(q)
		}
	case *agentv1.ConnectResponse_Rehello:
		l.Rehello()
	case *agentv1.ConnectResponse_Goodbye:
		s.bye = body.Goodbye
		return true
	}
	return false
}

func (s *session) welcome(w *agentv1.Welcome) {
	l := s.link
	within := func(ns int64, lo, hi, without time.Duration) time.Duration {
		if ns <= 0 {
			return without
		}
		return min(max(time.Duration(ns), lo), hi)
	}
	l.intervals.Store(&Intervals{
		Report: within(w.GetReportIntervalNs(), minReport, maxReport, defaultIntervals.Report),
		Frame:  within(w.GetFrameIntervalNs(), minFrame, maxFrame, defaultIntervals.Frame),
		Clock:  within(w.GetClockIntervalNs(), minClock, maxClock, defaultIntervals.Clock),
	})
	l.cfg.Box.SetTTL(time.Duration(w.GetOrderTtlNs()))
	s.welcomed.Store(max(int64(time.Since(s.started)), 1))
	s.watchdog.Reset(silentIntervals * l.Intervals().Clock)
	select {
	case s.greeted <- struct{}{}:
	default:
	}
	l.mu.Lock()
	l.status.Connected, l.status.Since, l.status.LastError = true, time.Now(), ""
	l.status.Session = w.GetSession()
	if id := w.GetInstance(); id != "" && id != l.instance && gear.PlaceName(id) {
		l.instance, l.status.Instance = id, id
	}
	instance, controller := l.instance, l.status.Controller
	l.mu.Unlock()
	l.cfg.Log.Info("stream to the controller is up", "controller", controller, "instance", instance)
}

func (l *Link) tables(m *agentv1.LevelTables) {
	tables := make([]gear.LevelTable, 0, len(m.GetTables()))
	var problems gear.Problems
	for i, p := range m.GetTables() {
		t, bad := wire.ToTable(p)
		if len(bad) > 0 {
			problems = append(problems, bad.Under(fmt.Sprintf("tables[%d]", i))...)
			continue
		}
		tables = append(tables, t)
	}
	problems = append(problems, l.cfg.Box.AddTables(tables)...)
	if len(problems) > 0 {
		// The set that names such a table is refused for it; this says why.
		l.mu.Lock()
		l.status.Refusal, l.status.Refused = problems, gear.Version{}
		l.mu.Unlock()
		l.cfg.Log.Warn("level tables refused", "why", inert(problems.Error()))
	}
}

func (l *Link) orders(m *agentv1.OrderSet) {
	set, problems := wire.ToOrderSet(m)
	if len(problems) > 0 {
		l.acknowledge(l.cfg.Box.Refuse(set.Version(), problems))
		return
	}
	if len(l.cfg.Box.Missing(&set)) > 0 && l.askTables(set.Version()) {
		l.Rehello() // the hello lists the tables held; the controller sends the rest, then the set again
		return
	}
	l.acknowledge(l.cfg.Box.Apply(&set))
}

func (l *Link) staged(m *agentv1.StagedSteps) {
	steps, tables, problems := wire.ToStaged(m)
	var a gear.StagedAck
	if len(problems) > 0 {
		a = l.cfg.Box.RefuseStaged(steps.Hash, problems)
	} else {
		a = l.cfg.Box.Stage(&steps, tables)
	}
	if a.Refused {
		l.cfg.Log.Warn("staged steps refused", "why", inert(gear.Problems(a.Problems).Error()))
	}
	l.out.putStaged(a)
}

// askTables reports whether the tables of a version may be asked for: once.
func (l *Link) askTables(v gear.Version) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == v {
		return false
	}
	l.asked = v
	return true
}

func (l *Link) acknowledge(a gear.Ack) {
	l.mu.Lock()
	unreadable := l.status.Refused == gear.Version{} && len(l.status.Refusal) > 0
	if a.Refused && unreadable {
		// Tables that could not be kept are why their orders have none.
		a.Problems = append(append(gear.Problems{}, l.status.Refusal...), a.Problems...)
	}
	l.status.Refusal, l.status.Refused = nil, gear.Version{}
	if a.Refused {
		l.status.Refusal, l.status.Refused = a.Problems, a.Version
	}
	l.mu.Unlock()
	if a.Refused {
		l.cfg.Log.Warn("orders refused", "epoch", a.Version.Epoch, "revision", a.Version.Revision, "why", inert(gear.Problems(a.Problems).Error()))
	}
	l.out.putAck(a)
}

// hello describes the agent as it is now.
func (l *Link) hello() gear.Hello {
	h := l.cfg.Hello()
	l.mu.Lock()
	h.Instance = l.instance
	l.mu.Unlock()
	h.Held, h.HeldHash = l.cfg.Box.Held()
	h.Tables = l.cfg.Box.Tables()
	h.StagedHash = l.cfg.Box.StagedHash()
	h.FallbackRung = l.cfg.Box.Load().Rung
	l.untold(wire.FitHello(&h))
	return h
}

// untold says once which points no controller hears of, and when all are told of.
func (l *Link) untold(left []gear.PointDecl) {
	names := make([]string, len(left))
	for i := range left {
		names[i] = left[i].Name
	}
	l.mu.Lock()
	changed := !slices.Equal(names, l.left)
	l.left = names
	l.mu.Unlock()
	if changed && len(names) > 0 {
		l.cfg.Log.Error("the declarations are too large for a hello: no controller hears of the last ones, and they stay on defaults",
			"limit", wire.MaxDeclared, "count", len(names), "first", inert(gear.Shown(names[0])))
	}
}

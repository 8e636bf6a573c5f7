package agentapi

import (
	"fmt"
	"time"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/push"
)

// rehelloEvery bounds how often an agent is asked for a new hello.
const rehelloEvery = 10 * time.Second

// take handles one frame, and paces the agent.
//
//go:noinline
func (ss *session) take(in *inbound) error {
	if err := in.err("a frame", "report less at once"); err != nil {
		return err
	}
	ss.handle(&in.frame)
	return ss.pace()
}

// pace makes an agent that floods wait for its turn. Meanwhile its frames stay
// in its own window: nobody else pays.
func (ss *session) pace() error {
	wait := ss.frames.take(time.Now(), ss.svc.opt.FrameRate, ss.svc.opt.FrameBurst)
	if wait <= 0 {
		return nil
	}
	ss.svc.stats.slowed.Add(1)
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ss.ctx.Done():
		return ss.cause(ss.ctx.Err())
	}
}

func (ss *session) handle(f *agentv1.ConnectRequest) {
	now := ss.svc.opt.Clock.Now()
	if f.GetHello() != nil {
		ss.hello(f.GetHello(), now)
	}
	if f.GetAck() != nil {
		ss.ack(f.GetAck(), now)
	}
	if f.GetStaged() != nil {
		ss.stagedAck(f.GetStaged())
	}
	if f.GetReport() != nil {
		ss.report(f.GetReport(), now)
	}
	if len(f.GetQuota()) > 0 || f.GetQuotaFrame() > 0 {
		ss.quota(f, now)
	}
	if c := f.GetClock(); c != nil {
		ss.put(push.SlotClock, &agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Clock{Clock: &agentv1.ClockReading{
			AgentSentNs: c.GetAgentSentNs(), ReferenceNs: now.UnixNano(),
		}}})
	}
}

// hello takes a later hello: what the agent declares and holds now.
func (ss *session) hello(p *agentv1.Hello, now time.Time) {
	h, ps := wire.ToHello(p)
	if len(ps) == 0 {
		ps = ss.svc.credible(h.Held)
	}
	err := ps.Err()
	if err == nil {
		err = ss.svc.opt.Fleet.Redeclare(ss.id, h, now)
	}
	if err != nil {
		ss.svc.stats.refused.Add(1)
		ss.svc.opt.Log.WarnContext(ss.ctx, "hello refused", "app", ss.source.App, "idc", ss.source.IDC, "instance", ss.source.Instance, "error", err)
		return
	}
	key := push.Key{App: ss.source.App, IDC: ss.source.IDC}
	ss.svc.checkAhead(key, h.Held)
	ss.out.Reset(push.Held{Version: h.Held, Hash: h.HeldHash, Tables: h.Tables})
	ss.svc.opt.Joined(key.App, key.IDC)
}

func (ss *session) ack(p *agentv1.Ack, now time.Time) {
	a, ps := wire.ToAck(p)
	if len(ps) > 0 {
		return
	}
	ok, newest := ss.out.Ack(a)
	if !ok {
		return // it answers nothing that was sent
	}
	if newest {
		ss.flight.Store(0)
	}
	ss.svc.stats.acks.Add(1)
	ss.svc.opt.Fleet.Ack(ss.id, a, now)
	if a.Refused {
		ss.svc.opt.Log.WarnContext(ss.ctx, "orders refused", "app", ss.source.App, "idc", ss.source.IDC, "instance", ss.source.Instance,
			"epoch", a.Version.Epoch, "revision", a.Version.Revision, "problems", gear.Problems(a.Problems).Error())
	}
}

func (ss *session) report(p *agentv1.Report, now time.Time) {
	r, ps := wire.ToReport(p)
	reason := ss.judge(&r, ps, now)
	if reason != "" {
		ss.svc.stats.badReports.Add(1)
		ss.askHello(reason)
		return
	}
	last := ss.sequence
	ss.sequence = r.Sequence
	if !ss.svc.opt.Fleet.Report(ss.id, &r, now) {
		return // a newer session of the same agent speaks for it
	}
	if last != 0 && r.Sequence > last+1 {
		ss.askHello(fmt.Sprintf("reports %d to %d are missing", last+1, r.Sequence-1))
	}
	ss.svc.stats.reports.Add(1)
	ss.svc.opt.Reports.Ingest(ss.source, &r, now)
}

// judge says why a report cannot be taken, "" when it can.
func (ss *session) judge(r *gear.Report, ps gear.Problems, now time.Time) string {
	switch {
	case len(ps) > 0:
		return "report refused: " + ps[:1].Error()
	case r.At.Sub(now) > ss.svc.opt.FutureReport:
		return fmt.Sprintf("report refused: at_ns lies %s in the future", r.At.Sub(now).Round(time.Millisecond))
	case r.Sequence <= ss.sequence && ss.sequence != 0:
		return fmt.Sprintf("report refused: sequence %d after %d", r.Sequence, ss.sequence)
	case ss.out.Sent().Less(r.Held):
		return fmt.Sprintf("report refused: epoch %d, revision %d is held, which was never sent", r.Held.Epoch, r.Held.Revision)
	}
	for i := range r.Points {
		x := &r.Points[i]
		if x.Scene != gear.Any && !gear.PlaceName(x.Scene) || !gear.PlaceName(x.Point) {
			return fmt.Sprintf("report refused: points[%d] names scene %q and point %q", i, gear.Shown(x.Scene), gear.Shown(x.Point))
		}
	}
	return ""
}

// askHello asks for a full hello, and says why, at most once in rehelloEvery.
func (ss *session) askHello(reason string) {
	if now := time.Now(); ss.rehello.IsZero() || now.Sub(ss.rehello) >= rehelloEvery {
		ss.rehello = now
		ss.put(push.SlotRehello, &agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Rehello{Rehello: &agentv1.Rehello{Reason: reason}}})
	}
}

func (ss *session) put(slot push.Slot, r *agentv1.ConnectResponse) {
	f, err := NewFrame(r)
	if err != nil {
		ss.svc.opt.Log.ErrorContext(ss.ctx, "frame not made", "error", err)
		return
	}
	ss.out.Put(slot, f)
}

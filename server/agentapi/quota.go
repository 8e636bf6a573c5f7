package agentapi

import (
	"time"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// NewQuotaFrame encodes base quotas once for all streams of an app x IDC.
func NewQuotaFrame(q *gear.BaseQuotas) (*Frame, error) {
	f, err := NewFrame(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_BaseQuotas{BaseQuotas: wire.FromBaseQuotas(q)}})
	if err != nil {
		return nil, err
	}
	f.quota = q.Frame
	return f, nil
}

// A mark remembers how much was in flight when a frame of base quotas left. Ten of
// them a second would fill the flight limit within a minute if nothing proved that
// they arrive; agents name the newest they have beside their counts.
type mark struct {
	frame  int64 // 0: none on its way
	flight int64
}

// note sets a mark. sendMu is held.
func (ss *session) note(f *Frame, flight int64) {
	if f.quota > 0 && ss.mark.frame == 0 {
		ss.mark = mark{f.quota, flight}
	}
}

// arrived takes off the flight what lies before the mark. When a sender holds the
// lock the next count will do.
func (ss *session) arrived(frame int64) {
	if frame <= 0 || !ss.sendMu.TryLock() {
		return
	}
	defer ss.sendMu.Unlock()
	if ss.mark.frame == 0 || frame < ss.mark.frame {
		return
	}
	if now := ss.flight.Load(); now >= ss.mark.flight {
		ss.flight.Add(-ss.mark.flight)
	} // else an ack has proved more meanwhile
	ss.mark = mark{}
}

// quota takes an agent's counts. What is wrong is dropped as a whole: one frame
// is a tenth of a second.
func (ss *session) quota(f *agentv1.ConnectRequest, now time.Time) {
	ss.arrived(f.GetQuotaFrame())
	q := ss.svc.opt.Quotas
	if q == nil || len(f.GetQuota()) == 0 {
		return
	}
	counts, problems := wire.ToQuotaCounts(f.GetQuota())
	if len(problems) > 0 {
		ss.svc.stats.badReports.Add(1)
		return
	}
	if ss.svc.opt.Fleet.Live(ss.id) {
		q.Count(ss.source.App, ss.source.IDC, ss.source.Instance, counts, now)
	}
}

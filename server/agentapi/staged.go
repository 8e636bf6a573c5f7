package agentapi

import (
	"fmt"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
	"github.com/allspark/allspark/server/push"
)

// Staging sends plan steps ahead; planner.Stager does. Join must not block, and
// puts what the agent lacks before it returns.
type Staging interface {
	Join(app, idc, instance, hash string, put func(frame any)) StagedMember
}

// StagedMember is one agent's end of it.
type StagedMember interface {
	Ack(a gear.StagedAck)
	Leave(clean bool)
}

// NewStagedFrame encodes staged steps with the level tables their sets name.
func NewStagedFrame(s *gear.Staged, tables []gear.LevelTable) (*Frame, error) {
	f, err := NewFrame(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_Staged{Staged: wire.FromStaged(s, tables)}})
	if err != nil {
		return nil, fmt.Errorf("staged steps of %s in %s: %w", s.App, s.IDC, err)
	}
	return f, nil
}

func (ss *session) joinStaging(hash string) {
	if st := ss.svc.opt.Staging; st != nil {
		ss.staged = st.Join(ss.source.App, ss.source.IDC, ss.source.Instance, hash, func(frame any) { ss.out.Put(push.SlotStaged, frame) })
	}
}

func (ss *session) stagedAck(p *agentv1.StagedAck) {
	if ss.staged == nil {
		return
	}
	a, ps := wire.ToStagedAck(p)
	if len(ps) > 0 {
		return
	}
	ss.staged.Ack(a)
	if a.Refused {
		ss.svc.opt.Log.WarnContext(ss.ctx, "staged steps refused", "app", ss.source.App, "idc", ss.source.IDC, "instance", ss.source.Instance,
			"problems", gear.Problems(a.Problems).Error())
	}
}

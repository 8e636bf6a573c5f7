package link

import (
	"sync"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// keepReports bounds how many reports wait: a reconnect within seconds loses
// nothing, and no one wants to hear about the last hour at once. An app with very
// many scenes sends a few a second.
const keepReports = 8

// outbox holds what is due. The newest wins; putting never blocks.
type outbox struct {
	wake chan struct{} // of size 1: something is due

	mu      sync.Mutex
	hello   bool
	probe   bool
	ack     *gear.Ack
	reports []*gear.Report
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

func (o *outbox) put(change func()) {
	o.mu.Lock()
	change()
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) putReport(r *gear.Report) {
	o.put(func() {
		if len(o.reports) == keepReports {
			copy(o.reports, o.reports[1:])
			o.reports = o.reports[:keepReports-1]
		}
		o.reports = append(o.reports, r)
	})
}

func (o *outbox) putAck(a gear.Ack) { o.put(func() { o.ack = &a }) }

// restart forgets what belonged to a lost stream: a new one begins with a hello
// that says what is held.
func (o *outbox) restart() {
	o.put(func() {
		o.hello, o.probe, o.ack = true, true, nil
	})
}

// take empties the outbox into frames: one, and one more for each further report.
func (o *outbox) take(hello func() gear.Hello, sent func() int64) []*agentv1.ConnectRequest {
	o.mu.Lock()
	wantHello, probe, ack, reports := o.hello, o.probe, o.ack, o.reports
	o.hello, o.probe, o.ack, o.reports = false, false, nil, nil
	o.mu.Unlock()
	if !wantHello && !probe && ack == nil && len(reports) == 0 {
		return nil
	}
	first := &agentv1.ConnectRequest{}
	frames := []*agentv1.ConnectRequest{first}
	if wantHello {
		h := hello()
		first.Hello = wire.FromHello(&h)
	}
	if ack != nil {
		first.Ack = wire.FromAck(ack)
	}
	for i, r := range reports {
		if i > 0 {
			frames = append(frames, &agentv1.ConnectRequest{})
		}
		frames[i].Report = wire.FromReport(r)
	}
	if probe {
		first.Clock = &agentv1.ClockProbe{AgentSentNs: sent()}
	}
	return frames
}

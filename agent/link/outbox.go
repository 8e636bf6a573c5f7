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
	staged  *gear.StagedAck
	quota   []gear.QuotaCount
	frame   int64
	urgent  bool // counts do not wait for the next frame
}

// keepCounts bounds the counts that wait: what happened longer ago than a second
// or so regulates nothing.
const keepCounts = 64

func (o *outbox) putQuota(counts []gear.QuotaCount, frame int64) {
	o.put(func() {
		if len(o.quota) > keepCounts {
			o.quota = nil
		}
		o.quota, o.frame, o.urgent = append(o.quota, counts...), frame, true
	})
}

// hurried reports, once, whether what is due cannot wait.
func (o *outbox) hurried() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	u := o.urgent
	o.urgent = false
	return u
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

func (o *outbox) putStaged(a gear.StagedAck) { o.put(func() { o.staged = &a }) }

// restart forgets what belonged to a lost stream: a new one begins with a hello
// that says what is held.
func (o *outbox) restart() {
	o.put(func() {
		o.hello, o.probe, o.ack, o.quota, o.staged = true, false, nil, nil, nil
	})
}

// take empties the outbox into frames: a hello travels alone, because it may open
// the stream; then one, and one more for each further report.
func (o *outbox) take(hello func() gear.Hello, sent func() int64) []*agentv1.ConnectRequest {
	o.mu.Lock()
	wantHello, probe, ack, reports, quota, frame := o.hello, o.probe, o.ack, o.reports, o.quota, o.frame
	staged := o.staged
	o.hello, o.probe, o.ack, o.reports, o.quota, o.staged = false, false, nil, nil, nil, nil
	o.mu.Unlock()
	var frames []*agentv1.ConnectRequest
	if wantHello {
		h := hello()
		frames = append(frames, &agentv1.ConnectRequest{Hello: wire.FromHello(&h)})
	}
	for _, r := range reports {
		frames = append(frames, &agentv1.ConnectRequest{Report: wire.FromReport(r)})
	}
	if ack == nil && !probe && quota == nil && staged == nil {
		return frames
	}
	if len(reports) == 0 {
		frames = append(frames, &agentv1.ConnectRequest{})
	}
	last := frames[len(frames)-1]
	if ack != nil {
		last.Ack = wire.FromAck(ack)
	}
	if staged != nil {
		last.Staged = wire.FromStagedAck(staged)
	}
	for i := range quota {
		last.Quota = append(last.Quota, wire.FromQuotaCount(&quota[i]))
		last.QuotaFrame = frame
	}
	if probe {
		last.Clock = &agentv1.ClockProbe{AgentSentNs: sent()}
	}
	return frames
}

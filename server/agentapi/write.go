package agentapi

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/server/push"
)

// flightLimit is how many bytes may be on their way to an agent before a send
// might block. grpc lets 64 KiB of a stream pass without waiting, and an ack
// proves that everything sent before it has arrived.
const flightLimit = 60 << 10

// yieldEvery is after how many sessions a writer lets the transport's goroutines
// put on the wire what it has handed to them: the first agents need not wait
// until the last frame was handed over.
const yieldEvery = 16

// The states of a session's writing. A session is in at most one goroutine's
// hands, and waits at most once in the writers' line.
const (
	writeIdle   = iota // nothing to do
	writeQueued        // in line
	writeBusy          // somebody writes
	writeAgain         // somebody writes, and was woken meanwhile
)

// writers are as many goroutines as there are cores to send what is due, while
// there is something due, instead of one that sleeps in every stream.
type writers struct {
	mu      sync.Mutex
	line    []*session
	head    int
	running int
}

func (w *writers) enqueue(ss *session) {
	w.mu.Lock()
	w.line = append(w.line, ss)
	more := w.running < runtime.GOMAXPROCS(0)
	if more {
		w.running++
	}
	w.mu.Unlock()
	if more {
		go w.run()
	}
}

func (w *writers) next() *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.head == len(w.line) {
		w.line, w.head = w.line[:0], 0
		if cap(w.line) > 1024 {
			w.line = nil
		}
		w.running--
		return nil
	}
	ss := w.line[w.head]
	w.line[w.head] = nil
	w.head++
	return ss
}

func (w *writers) run() {
	var due []any
	n := 0
	for ss := w.next(); ss != nil; ss = w.next() {
		ss.writing.Store(writeBusy)
		due = ss.flush(due)
		if n++; n%yieldEvery == 0 {
			runtime.Gosched()
		}
	}
}

// writeState is what a session needs to be written to.
type writeState struct {
	writing atomic.Int32
	flight  atomic.Int64 // bytes sent since the last ack that proves delivery
	sendMu  sync.Mutex   // held while sending; then ended is settled
	ended   bool
	mark    mark // of the base quotas on their way; sendMu guards it
}

// Wake has the session written to soon.
func (ss *session) Wake() {
	for {
		switch ss.writing.Load() {
		case writeIdle:
			if ss.writing.CompareAndSwap(writeIdle, writeQueued) {
				ss.svc.writers.enqueue(ss)
				return
			}
		case writeBusy:
			if ss.writing.CompareAndSwap(writeBusy, writeAgain) {
				return
			}
		default:
			return
		}
	}
}

// Cut ends the stream because of the hub's reason.
func (ss *session) Cut(reason string) {
	ss.svc.stats.cuts.Add(1)
	go ss.end(cutError(reason), minRetry)
}

// end says goodbye, if that cannot block, and cancels the stream with the cause.
// gRPC writes the status of a cancelled stream by itself, so the goodbye is
// what tells the agent why.
func (ss *session) end(cause error, retry time.Duration) {
	if stuck := ss.flight.Load() >= flightLimit; stuck {
		// It does not read: what waits for it in the transport must not stay.
		_, hangUp := peerOf(ss.ctx)
		time.AfterFunc(hangUpAfter, hangUp)
	} else if ss.sendMu.TryLock() {
		if !ss.ended {
			ss.ended = true
			sayGoodbye(ss.stream, cause.Error(), retry)
		}
		ss.sendMu.Unlock()
	}
	ss.cancel(cause)
}

// flush sends what is due until nothing is. The caller has set writing to
// writeBusy. It gives the scratch space back, or nil when that was passed on.
func (ss *session) flush(due []any) []any {
	due = ss.out.Next(due[:0])
	for i, f := range due {
		if ss.flight.Load() >= flightLimit {
			// The rest may block on an agent that does not read: not at others' expense.
			go ss.flushAlone(due[i:])
			return nil
		}
		ss.send(f)
	}
	clear(due) // an old frame must not live on in the scratch space
	if !ss.writing.CompareAndSwap(writeBusy, writeIdle) {
		// Woken meanwhile: to the end of the line, so that no session holds a writer.
		ss.writing.Store(writeQueued)
		ss.svc.writers.enqueue(ss)
	}
	return due
}

// flushAlone may block: it has a goroutine of its own, for as long as it takes.
func (ss *session) flushAlone(due []any) {
	for {
		for _, f := range due {
			ss.send(f)
		}
		if ss.writing.CompareAndSwap(writeBusy, writeIdle) {
			return
		}
		ss.writing.Store(writeBusy)
		due = ss.out.Next(nil)
	}
}

func (ss *session) send(f any) {
	ss.sendMu.Lock()
	defer ss.sendMu.Unlock()
	if ss.ended {
		return
	}
	frame := f.(*Frame)
	ss.note(frame, ss.flight.Add(int64(frame.Len())+5))
	if err := frame.send(ss.stream); err != nil {
		ss.ended = true
		ss.cancel(err)
	}
}

// endWriting makes sure that nobody writes any more. Cancel the stream first.
func (ss *session) endWriting() {
	ss.sendMu.Lock()
	ss.ended = true
	ss.sendMu.Unlock()
}

var _ push.Stream = (*session)(nil)

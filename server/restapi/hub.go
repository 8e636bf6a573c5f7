package restapi

import (
	"strconv"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/allspark/allspark/server/api"
)

const (
	// RingSize is how many events a client may miss and still resume: minutes of
	// a busy peak, a few MB.
	RingSize = 4096
	// streamBuffer is how far a reader may fall behind before it is cut.
	streamBuffer = 256
	// maxStreams bounds open event streams of a replica.
	maxStreams = 2000
	// maxStreamsEach bounds those of one caller.
	maxStreamsEach = 20
)

// hub keeps the last events and hands new ones to every open stream.
//
// INVARIANT: a stream gets each event after its start once and in order, or is
// cut; live figures (no id) may be left out.
type hub struct {
	run string // differs by process: an id of another one cannot be resumed

	mu     sync.Mutex
	next   int64
	ring   []api.Event // the last RingSize, oldest first once full
	subs   map[*stream]struct{}
	each   map[string]int
	closed bool
}

type stream struct {
	owner string
	ch    chan api.Event // closed when cut
}

func newHub() *hub {
	return &hub{run: uuid.NewString()[:8], next: 1, subs: map[*stream]struct{}{}, each: map[string]int{}}
}

// publish gives e an id, keeps it, and hands it out.
func (h *hub) publish(e api.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e.ID = h.run + "-" + strconv.FormatInt(h.next, 10)
	if len(h.ring) < RingSize {
		h.ring = append(h.ring, e)
	} else {
		h.ring[(h.next-1)%RingSize] = e
	}
	h.next++
	for s := range h.subs {
		select {
		case s.ch <- e:
		default:
			h.drop(s) // too slow: it reconnects and resumes
		}
	}
}

// live hands out figures that the next ones replace: they are not kept, and a
// reader that is behind misses them.
func (h *hub) live(e api.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		if len(s.ch) < streamBuffer/2 {
			s.ch <- e // cannot block: only the hub sends, under its lock
		}
	}
}

// join opens a stream after the event last. missed is what came since; ok is
// false when that is no longer known and the client must read everything again.
func (h *hub) join(owner, last string) (s *stream, missed []api.Event, ok, room bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.subs) >= maxStreams || h.each[owner] >= maxStreamsEach {
		return nil, nil, false, false
	}
	s = &stream{owner: owner, ch: make(chan api.Event, streamBuffer)}
	h.subs[s] = struct{}{}
	h.each[owner]++
	if last == "" {
		return s, nil, true, true
	}
	run, n, found := strings.Cut(last, "-")
	seq, err := strconv.ParseInt(n, 10, 64)
	oldest := max(1, h.next-int64(len(h.ring)))
	if !found || err != nil || run != h.run || seq >= h.next || seq < oldest-1 {
		return s, nil, false, true
	}
	for i := seq + 1; i < h.next; i++ {
		missed = append(missed, h.ring[(i-1)%RingSize])
	}
	return s, missed, true, true
}

// head is the id of the newest event.
func (h *hub) head() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.run + "-" + strconv.FormatInt(h.next-1, 10)
}

func (h *hub) leave(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(s)
}

// drop cuts a stream once; the caller holds the lock.
func (h *hub) drop(s *stream) {
	if _, ok := h.subs[s]; !ok {
		return
	}
	delete(h.subs, s)
	if h.each[s.owner]--; h.each[s.owner] == 0 {
		delete(h.each, s.owner)
	}
	close(s.ch)
}

func (h *hub) size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs)
}

// close cuts every stream and lets no new one in.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subs {
		h.drop(s)
	}
}

package lab

// patience is the queue of one scene's requests in order of their deadline at the
// frontend. The timeout is the same for all, so the order is that of arrival and
// one event for the first that is still open serves all of them.
type patience struct {
	waits []waiting
	head  int
	armed bool
}

type waiting struct {
	at   int64
	root int32
	gen  uint32
}

// wait enters a root call that will be given up at the given time.
func (e *Engine) wait(scene int, at int64, root int32) {
	p := &e.patience[scene]
	if p.head > 64 && p.head*2 > len(p.waits) {
		p.waits = p.waits[:copy(p.waits, p.waits[p.head:])]
		p.head = 0
	}
	p.waits = append(p.waits, waiting{at, root, e.frames[root].gen})
	if !p.armed {
		p.armed = true
		e.heap.push(at, evPatience, int32(scene), 0)
	}
}

// expire gives up what is due and waits for the next that is still open.
func (e *Engine) expire(scene int32) {
	p := &e.patience[scene]
	p.armed = false
	for p.head < len(p.waits) {
		w := p.waits[p.head]
		if e.frames[w.root].gen == w.gen {
			if w.at > e.now {
				p.armed = true
				e.heap.push(w.at, evPatience, scene, 0)
				return
			}
			e.answer(w.root, TimedOut)
		}
		p.head++
	}
	p.waits, p.head = p.waits[:0], 0
}

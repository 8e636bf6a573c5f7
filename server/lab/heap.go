package lab

// event is something that will happen to a frame, a request or a machine.
type event struct {
	at    int64
	order uint64 // sequence<<8 | kind: ties go in order of scheduling
	id    int32
	gen   uint32 // stale when it no longer matches the entity's
}

func (e *event) kind() uint8 { return uint8(e.order) }

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

// eventHeap is a 4-ary heap: half the depth of a binary one, and the four
// children share a cache line and a half.
type eventHeap struct {
	items []event
	seq   uint64
}

func (h *eventHeap) push(at int64, kind uint8, id int32, gen uint32) {
	h.seq++
	e := event{at: at, order: h.seq<<8 | uint64(kind), id: id, gen: gen}
	h.items = append(h.items, e)
	i := len(h.items) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(&h.items[parent]) {
			break
		}
		h.items[i] = h.items[parent]
		i = parent
	}
	h.items[i] = e
}

// pop takes the earliest event of a heap that is not empty.
func (h *eventHeap) pop() event {
	top := h.items[0]
	n := len(h.items) - 1
	e := h.items[n]
	h.items = h.items[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, n); c++ {
			if h.items[c].before(&h.items[least]) {
				least = c
			}
		}
		if !h.items[least].before(&e) {
			break
		}
		h.items[i] = h.items[least]
		i = least
	}
	h.items[i] = e
	return top
}

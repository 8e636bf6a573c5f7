package lab

// Visit slots of a frame: what can be under way in one call at one time.
const (
	slotSpan  = iota // the whole call
	slotLocal        // own work
	slotEdge         // the caller's external edge that this call is
	slots
)

func (e *Engine) newFrame(req, parent int32, app int, edge int16) int32 {
	var id int32
	if n := len(e.free); n > 0 {
		id = e.free[n-1]
		e.free = e.free[:n-1]
	} else {
		id = int32(len(e.frames))
		e.frames = append(e.frames, frame{})
	}
	r := &e.requests[req]
	r.frames++
	m := e.model
	n := int32(draw(e.routes[app], r.key) >> 32 * uint64(m.Machines) >> 32)
	e.frames[id] = frame{
		request: req, parent: parent, app: int16(app), edge: edge, called: e.now, gen: e.frames[id].gen + 1,
		machine: int32((int(r.idc)*len(m.Apps)+app)*m.Machines) + n,
	}
	return id
}

func (e *Engine) freeFrame(id int32) {
	f := &e.frames[id]
	f.gen++
	e.free = append(e.free, id)
	r := &e.requests[f.request]
	if r.frames--; r.frames == 0 {
		e.freeReq = append(e.freeReq, f.request)
	}
}

// see fills in the visit that Controls are shown.
func (e *Engine) see(id int32, slot, point int) {
	f := &e.frames[id]
	r := &e.requests[f.request]
	machine, frame := f.machine, id
	if slot == slotEdge {
		machine, frame = e.frames[f.parent].machine, f.parent
	}
	e.seen = Visit{
		ID: id*slots + int32(slot), Frame: frame, Machine: machine, Point: int32(point), Scene: int32(r.scene),
		Now: e.now, Load: r.load, Value: r.told, Key: r.key,
	}
}

// begin tells Controls of a visit. The reading stands until the next one.
func (e *Engine) begin(id int32, slot, point int) *Reading {
	e.see(id, slot, point)
	e.reading = e.defaults[point]
	e.controls.Begin(&e.seen, &e.reading)
	return &e.reading
}

func (e *Engine) end(id int32, slot, point int, res Result) {
	e.see(id, slot, point)
	e.controls.End(&e.seen, res)
}

// step begins the call's current step, or ends the call after its last.
func (e *Engine) step(id int32) {
	f := &e.frames[id]
	steps := e.model.Apps[f.app].Steps
	switch {
	case e.requests[f.request].dead || f.failed:
		e.returned(id, Failed)
	case int(f.step) == len(steps):
		e.returned(id, OK)
	case steps[f.step].Point >= 0:
		e.local(id, steps[f.step].Point)
	default:
		e.calls(id, steps[f.step].Calls)
	}
}

// calls sends a step's calls side by side.
func (e *Engine) calls(id int32, edges []Edge) {
	e.frames[id].pending = int16(len(edges))
	for _, edge := range edges {
		child := e.newFrame(e.frames[id].request, id, edge.App, int16(edge.Point))
		if edge.Point >= 0 {
			timeout := e.begin(child, slotEdge, edge.Point)[0]
			e.heap.push(e.now+max(int64(timeout), 0), evEdge, child, e.frames[child].gen)
		}
		if e.follower != nil {
			through := int32(-1)
			if edge.Point >= 0 {
				through = child*slots + slotEdge
			}
			e.follower.Called(child, id, through)
		}
		e.heap.push(e.now+int64(network), evCall, child, 0)
	}
}

// giveUp is the caller's timeout of an external edge: it goes on without the
// answer, and the callee does not know.
func (e *Engine) giveUp(child int32) {
	f := &e.frames[child]
	f.gen++
	e.end(child, slotEdge, int(f.edge), Result{Elapsed: e.now - f.called, Outcome: TimedOut})
	parent := f.parent
	f.parent = -1
	e.arrived(parent, OK)
}

// returned ends a call and tells whoever still waits for it.
func (e *Engine) returned(id int32, out Outcome) {
	f := e.frames[id]
	if f.edge >= 0 && f.parent >= 0 {
		e.end(id, slotEdge, int(f.edge), Result{Elapsed: e.now - f.called, Outcome: out})
		out = OK // the answer is optional
	}
	if e.follower != nil && f.parent >= 0 {
		e.follower.Returned(id, f.parent)
	}
	if f.app == 0 && !e.requests[f.request].dead {
		e.answer(id, out)
	}
	e.freeFrame(id)
	if f.parent >= 0 {
		e.arrived(f.parent, out)
	}
}

// arrived counts an answer at the caller, which goes on after the last one.
func (e *Engine) arrived(id int32, out Outcome) {
	f := &e.frames[id]
	f.failed = f.failed || out != OK
	if f.pending--; f.pending == 0 {
		f.step++
		e.step(id)
	}
}

// local begins own work at a point.
func (e *Engine) local(id int32, point int) {
	f := &e.frames[id]
	app := &e.model.Apps[f.app]
	f.began = e.now
	reading := &e.defaults[point]
	if point != app.Span {
		reading = e.begin(id, slotLocal, point)
	}
	m := &e.machines[f.machine]
	if m.holds() >= m.limit || point != app.Span && e.seen.Refuse {
		e.visited(id, Refused)
		return
	}
	demand := e.demand(id, point, reading) / m.speed
	m.settle(e.now)
	if m.queue == FIFO {
		if m.running < m.cores {
			m.running++
			e.heap.push(e.now+int64(demand), evCPU, id, 0)
		} else {
			m.wait(demand, id)
		}
		return
	}
	m.share(demand, id)
	e.watch(f.machine)
}

// watch makes sure that somebody looks when a Sharing machine's first job leaves.
// A look that comes too early looks again, so only an earlier one is scheduled.
func (e *Engine) watch(id int32) {
	m := &e.machines[id]
	if len(m.jobs) == 0 {
		return
	}
	if at := m.nextLeave(); m.due < 0 || at < m.due {
		m.gen++
		m.due = at
		e.heap.push(at, evLook, id, m.gen)
	}
}

func (e *Engine) look(id int32) {
	e.machines[id].settle(e.now)
	for {
		frame, ok := e.machines[id].leave()
		if !ok {
			break
		}
		e.worked(frame)
	}
	e.watch(id)
}

// served ends a job's CPU at a FIFO machine and starts the next.
func (e *Engine) served(id int32) {
	m := &e.machines[e.frames[id].machine]
	m.settle(e.now)
	if m.running > m.cores { // a core was taken away
		m.running--
	} else if j, ok := m.start(); ok {
		e.heap.push(e.now+int64(j.key), evCPU, j.frame, 0)
	} else {
		m.running--
	}
	e.worked(id)
}

// worked is the end of a visit's CPU; its I/O follows.
func (e *Engine) worked(id int32) {
	if io := e.frames[id].io; io > 0 {
		e.heap.push(e.now+io, evIO, id, 0)
		return
	}
	e.visited(id, OK)
}

// visited ends own work and goes on to the next step.
func (e *Engine) visited(id int32, out Outcome) {
	f := &e.frames[id]
	app := &e.model.Apps[f.app]
	point := app.Steps[f.step].Point
	if point != app.Span {
		if e.judge != nil && out == OK {
			e.judged(f, point)
		}
		e.end(id, slotLocal, point, e.done(f, point, out))
	}
	if out != OK {
		e.returned(id, Failed)
		return
	}
	if f.parent >= 0 || f.app == 0 { // else its caller has gone on without it
		e.earn(&e.requests[f.request], point)
	}
	f.step++
	e.step(id)
}

package lab

import "math"

// relative is the load of an arrival beside the mean of all, before its scene.
func (e *Engine) relative(a *Arrival) float64 {
	l := a.Load / e.meanLoad * e.bend
	if e.users.Spread > 0 {
		l = math.Pow(l, e.users.Spread) * e.scale
	}
	return l
}

// place decides an arrival's scene and IDC.
func (e *Engine) place(a *Arrival) (scene, idc int) {
	u := unit(draw(e.sceneSat, a.Key))
	for scene < len(e.model.Scenes)-1 && u >= e.model.Scenes[scene].Share {
		u -= e.model.Scenes[scene].Share
		scene++
	}
	s := &e.model.Scenes[scene]
	if n := len(e.model.IDCs); n > 1 {
		if v := unit(draw(e.idcSalt, a.Key)); v >= s.First {
			idc = 1 + int((v-s.First)/(1-s.First)*float64(n-1))
		}
	}
	return scene, idc
}

// arrive turns an arrival into a request and its root call. A user who asks again
// is the same user in the same scene, but the request is another one: it may meet
// other machines.
func (e *Engine) arrive(a Arrival, attempt int16) {
	var id int32
	if n := len(e.freeReq); n > 0 {
		id = e.freeReq[n-1]
		e.freeReq = e.freeReq[:n-1]
	} else {
		id = int32(len(e.requests))
		e.requests = append(e.requests, request{})
	}
	scene, idc := e.place(&a)
	s := &e.model.Scenes[scene]
	load := e.relative(&a)
	predicted := load * e.meanLoad
	if e.blur != nil {
		predicted *= e.blur[cell(draw(e.blurSalt, a.Key))]
	}
	e.requests[id] = request{
		key: a.Key + uint64(attempt)*golden, load: predicted, relative: load * s.Load, arrival: a, attempt: attempt,
		value: userValue(a.zl, draw(e.valueSat, a.Key)), started: e.now, scene: int16(scene), idc: int16(idc),
	}
	r := &e.requests[id]
	if r.told = r.value; e.users.Misjudged {
		r.told = math.Exp(valueSD*normal[cell(draw(e.valueSat, ^a.Key))] - valueSD*valueSD/2)
	}
	root := e.newFrame(id, -1, 0, -1)
	if e.follower != nil {
		e.follower.Called(root, -1, -1)
	}
	if span := e.model.Apps[0].Span; span >= 0 {
		e.begin(root, slotSpan, span)
	}
	e.wait(scene, e.now+int64(s.Timeout), root)
	e.step(root)
}

// answer ends a root call towards the user.
func (e *Engine) answer(root int32, out Outcome) {
	f := &e.frames[root]
	r := &e.requests[f.request]
	earned := 0.0
	if out == OK {
		earned = r.value * r.worth
	}
	elapsed := e.now - r.started
	e.Tally.add(int(r.scene), elapsed, out, earned, r)
	if span := e.model.Apps[0].Span; span >= 0 {
		e.end(root, slotSpan, span, Result{Elapsed: elapsed, Outcome: out, Earned: earned})
	}
	f.gen++ // the timeout, if it is still to come, finds nobody
	r.dead = true
	if out != OK && int(r.attempt) < e.users.Retries {
		e.retry(again{r.arrival, r.attempt + 1})
	}
}

func (e *Engine) retry(t again) {
	var slot int32
	if n := len(e.freeTry); n > 0 {
		slot = e.freeTry[n-1]
		e.freeTry = e.freeTry[:n-1]
		e.retries[slot] = t
	} else {
		slot = int32(len(e.retries))
		e.retries = append(e.retries, t)
	}
	e.heap.push(e.now+int64(e.users.RetryAfter), evRetry, slot, 0)
}

// SetCores changes how many cores a machine has, from now on. Jobs that run on a
// core that goes away end on it.
func (e *Engine) SetCores(machine, cores int) {
	m := &e.machines[machine]
	m.settle(e.now)
	m.cores = max(cores, 1)
	if m.queue != FIFO {
		e.watch(int32(machine))
		return
	}
	for m.running < m.cores {
		j, ok := m.start()
		if !ok {
			return
		}
		m.running++
		e.heap.push(e.now+int64(j.key), evCPU, j.frame, 0)
	}
}

// Cores tells how many cores a machine has.
func (e *Engine) Cores(machine int) int { return e.machines[machine].cores }

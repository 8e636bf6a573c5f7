package lab

import "math"

// machine is one server: cores and the calls it holds.
//
// Sharing machines keep jobs in a heap by the attained service at which they
// leave; FIFO machines keep a ring of waiting jobs. Both keep the integral of
// busy cores, which is what their CPU is.
type machine struct {
	queue Discipline
	cores int
	limit int
	speed float64

	last int64   // when attained and busy were brought up to date
	busy float64 // core-nanoseconds of work done so far

	// Sharing.
	jobs     []job
	attained float64
	due      int64 // when the event that looks at the queue fires; -1 none
	gen      uint32

	// FIFO: jobs[head:] wait; running cores are busy.
	running int
	head    int
}

// job is a visit's CPU demand at a machine.
type job struct {
	key   float64 // Sharing: attained service at which it leaves; FIFO: demand
	frame int32
}

// holds is how many jobs are running or waiting.
func (m *machine) holds() int { return len(m.jobs) - m.head + m.running }

// settle brings the machine's account up to now.
func (m *machine) settle(now int64) {
	dt := float64(now - m.last)
	m.last = now
	if m.queue == FIFO {
		m.busy += dt * float64(m.running)
		return
	}
	if n := len(m.jobs); n > m.cores {
		m.attained += dt * float64(m.cores) / float64(n)
		m.busy += dt * float64(m.cores)
	} else if n > 0 {
		m.attained += dt
		m.busy += dt * float64(n)
	}
}

// share adds a job to a settled Sharing machine.
func (m *machine) share(demand float64, frame int32) {
	if len(m.jobs) == 0 {
		m.attained = 0 // keeps the sum small, so that it stays exact
	}
	j := job{m.attained + demand, frame}
	m.jobs = append(m.jobs, j)
	i := len(m.jobs) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if m.jobs[parent].key <= j.key {
			break
		}
		m.jobs[i] = m.jobs[parent]
		i = parent
	}
	m.jobs[i] = j
}

// leave takes the first job of a settled Sharing machine if its time has come.
func (m *machine) leave() (frame int32, ok bool) {
	// Half a nanosecond: due times are rounded up to whole ones.
	if len(m.jobs) == 0 || m.jobs[0].key > m.attained+0.5 {
		return 0, false
	}
	frame = m.jobs[0].frame
	n := len(m.jobs) - 1
	j := m.jobs[n]
	m.jobs = m.jobs[:n]
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && m.jobs[c+1].key < m.jobs[c].key {
			c++
		}
		if j.key <= m.jobs[c].key {
			break
		}
		m.jobs[i] = m.jobs[c]
		i = c
	}
	if n > 0 {
		m.jobs[i] = j
	}
	return frame, true
}

// nextLeave is when the first job of a settled Sharing machine leaves if nothing
// else comes.
func (m *machine) nextLeave() int64 {
	left := m.jobs[0].key - m.attained
	if n := len(m.jobs); n > m.cores {
		left *= float64(n) / float64(m.cores)
	}
	return m.last + int64(math.Ceil(max(left, 0)))
}

// wait appends a job to a FIFO machine's queue.
func (m *machine) wait(demand float64, frame int32) {
	if m.head > 64 && m.head*2 > len(m.jobs) {
		m.jobs = m.jobs[:copy(m.jobs, m.jobs[m.head:])]
		m.head = 0
	}
	m.jobs = append(m.jobs, job{demand, frame})
}

// start takes the next waiting job of a FIFO machine.
func (m *machine) start() (j job, ok bool) {
	if m.head == len(m.jobs) {
		m.jobs, m.head = m.jobs[:0], 0
		return job{}, false
	}
	j = m.jobs[m.head]
	m.head++
	return j, true
}

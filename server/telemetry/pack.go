package telemetry

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// packer writes what replicas tell each other: whole numbers as zig-zag varints,
// other numbers as 8 bytes, texts with their length before them.
type packer []byte

func (p *packer) int(vs ...int64) {
	for _, v := range vs {
		*p = binary.AppendVarint(*p, v)
	}
}

func (p *packer) float(vs ...float64) {
	for _, v := range vs {
		*p = binary.LittleEndian.AppendUint64(*p, math.Float64bits(v))
	}
}

func (p *packer) text(ss ...string) {
	for _, s := range ss {
		p.int(int64(len(s)))
		*p = append(*p, s...)
	}
}

func (p *packer) key(k Key) { p.text(k.Scene, k.IDC, k.Point) }

// us is a duration in whole microseconds.
func us(d time.Duration) int64 { return d.Microseconds() }

func (p *packer) tally(t *tally) {
	p.int(t.count, t.ok, t.timeouts, t.errors, t.shed, us(t.rtSum), t.levelSum, int64(t.levelMin), int64(t.levelMax), int64(t.cpuAgents), int64(t.agents))
	p.float(t.value, t.load, t.cpuSum)
}

func (p *packer) rollup(r *Rollup) {
	p.int(r.At.Unix(), us(r.Window), r.Count, r.OK, r.Timeouts, r.Errors, r.Shed, us(r.Mean), us(r.P50), us(r.P95), us(r.P99),
		whole(r.LevelMean*100), int64(r.LevelMin), int64(r.LevelMax), whole(r.CPU*1000), whole(r.Value*1000), whole(r.Load*1000), int64(r.Agents))
}

func (p *packer) crowd(c *Crowd) {
	p.int(us(c.Edge), c.Count, us(c.Mean), c.Downgraded, int64(c.Machines))
	p.float(c.Work, c.Level, c.Needless, c.NeedlessError)
	p.text(c.Bounded, c.Reason)
}

var errPart = errors.New("damaged part")

// unpacker reads it. After the first fault it gives zeros and says so in the end.
type unpacker struct {
	p   []byte
	bad bool
}

func (u *unpacker) int() int64 {
	v, n := binary.Varint(u.p)
	if n <= 0 {
		u.bad, u.p = true, nil
		return 0
	}
	u.p = u.p[n:]
	return v
}

func (u *unpacker) float() float64 {
	if len(u.p) < 8 {
		u.bad, u.p = true, nil
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(u.p))
	u.p = u.p[8:]
	if math.IsNaN(v) || math.IsInf(v, 0) {
		u.bad = true
		return 0
	}
	return v
}

func (u *unpacker) bytes() []byte {
	n := u.int()
	if n < 0 || n > int64(len(u.p)) {
		u.bad, u.p = true, nil
		return nil
	}
	b := u.p[:n]
	u.p = u.p[n:]
	return b
}

func (u *unpacker) text() string { return string(u.bytes()) }

// count reads how many follow, each of at least one byte.
func (u *unpacker) count() int64 {
	n := u.int()
	if n < 0 || n > int64(len(u.p)) {
		u.bad, u.p = true, nil
		return 0
	}
	return n
}

func (u *unpacker) us() time.Duration { return time.Duration(u.int()) * time.Microsecond }

func (u *unpacker) key(app string) Key {
	return Key{Scene: u.text(), IDC: u.text(), App: app, Point: u.text()}
}

func (u *unpacker) tally() tally {
	t := tally{
		count: u.int(), ok: u.int(), timeouts: u.int(), errors: u.int(), shed: u.int(), rtSum: u.us(), levelSum: u.int(),
		levelMin: int(u.int()), levelMax: int(u.int()), cpuAgents: int(u.int()), agents: int(u.int()),
	}
	t.value, t.load, t.cpuSum = u.float(), u.float(), u.float()
	return t
}

func (u *unpacker) rollup() Rollup {
	r := Rollup{
		At: time.Unix(u.int(), 0).UTC(), Window: u.us(), Count: u.int(), OK: u.int(), Timeouts: u.int(), Errors: u.int(), Shed: u.int(),
		Mean: u.us(), P50: u.us(), P95: u.us(), P99: u.us(), LevelMean: float64(u.int()) / 100, LevelMin: int(u.int()), LevelMax: int(u.int()),
		CPU: float64(u.int()) / 1000, Value: float64(u.int()) / 1000, Load: float64(u.int()) / 1000, Agents: int(u.int()),
	}
	if r.Window > 0 {
		r.QPS = float64(r.Count) / r.Window.Seconds()
	}
	return r
}

func (u *unpacker) crowd() Crowd {
	c := Crowd{Edge: u.us(), Count: u.int(), Mean: u.us(), Downgraded: u.int(), Machines: int(u.int())}
	c.Work, c.Level, c.Needless, c.NeedlessError = u.float(), u.float(), u.float(), u.float()
	c.Bounded, c.Reason = u.text(), u.text()
	return c
}

func (u *unpacker) err() error {
	if u.bad || len(u.p) > 0 {
		return errPart
	}
	return nil
}

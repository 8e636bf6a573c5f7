package gear

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// hashBytes of the SHA-256 name a table or order set: 128 bits.
const hashBytes = 16

// digest feeds length-prefixed fields to a hash, so that no two contents share
// a byte stream.
type digest struct {
	h   hash.Hash
	buf [8]byte
}

func newDigest(kind string) *digest {
	d := &digest{h: sha256.New()}
	d.str(kind)
	return d
}

func (d *digest) num(v uint64) {
	binary.BigEndian.PutUint64(d.buf[:], v)
	d.h.Write(d.buf[:])
}

func (d *digest) str(s string) {
	d.num(uint64(len(s)))
	d.h.Write([]byte(s))
}

func (d *digest) value(v Value) {
	d.num(uint64(v.kind))
	d.num(v.bits)
	d.str(v.str)
}

func (d *digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)[:hashBytes]) }

// ComputeHash names the table by its content (all but the Hash field).
func (t *LevelTable) ComputeHash() string {
	d := newDigest("table/1")
	d.num(uint64(len(t.Params)))
	for _, p := range t.Params {
		d.str(p.Name)
		d.num(uint64(p.Kind))
	}
	d.num(uint64(len(t.Rows)))
	for _, row := range t.Rows {
		d.num(uint64(len(row)))
		for _, v := range row {
			d.value(v)
		}
	}
	d.num(uint64(len(t.Work)))
	for _, w := range t.Work {
		d.num(math.Float64bits(w))
	}
	return d.sum()
}

// ComputeHash names the content of the set without its epoch and revision: two
// sets that ask the same of the agents have the same hash.
func (s *OrderSet) ComputeHash() string {
	d := newDigest("orders/1")
	d.str(s.App)
	d.str(s.IDC)
	d.num(uint64(len(s.Orders)))
	for i := range s.Orders {
		o := &s.Orders[i]
		for _, t := range [...]string{o.Scene, o.Point, o.Bucket, o.Table, string(o.Strategy), o.Template} {
			d.str(t)
		}
		d.num(uint64(len(o.Settings)))
		for _, x := range o.Settings {
			d.str(x.Name)
			d.value(x.Value)
		}
		pinned := 0
		if o.Pinned {
			pinned = 1
		}
		for _, n := range [...]int64{
			int64(o.Level), int64(o.MinLevel), int64(o.MaxLevel),
			int64(o.AvailableRT), int64(o.Timeout), int64(pinned), int64(o.TemplateVersion),
		} {
			d.num(uint64(n))
		}
	}
	return d.sum()
}

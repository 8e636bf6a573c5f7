package gearbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

const (
	magic         = "ASGEARS"
	formatVersion = 1

	// maxSnapshot bounds what is read from disk.
	maxSnapshot = 64 << 20
)

// ErrDamaged says that a snapshot is not what was once written.
var ErrDamaged = errors.New("damaged snapshot")

// snapshot is the last good set as kept on disk.
type snapshot struct {
	saved  time.Time // wall clock: the last contact, or the save itself
	ttl    time.Duration
	set    *gear.OrderSet
	tables []gear.LevelTable
}

func (s *snapshot) encode() ([]byte, error) {
	out := append([]byte(magic), formatVersion)
	out = binary.BigEndian.AppendUint64(out, uint64(s.saved.UnixNano()))
	out = binary.BigEndian.AppendUint64(out, uint64(s.ttl))
	var err error
	add := func(m proto.Message) {
		p, e := proto.Marshal(m)
		if e != nil && err == nil {
			err = fmt.Errorf("encode snapshot: %w", e)
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(p)))
		out = append(out, p...)
	}
	add(wire.FromOrderSet(s.set))
	out = binary.BigEndian.AppendUint32(out, uint32(len(s.tables)))
	for i := range s.tables {
		add(wire.FromTable(&s.tables[i]))
	}
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), err
}

func decodeSnapshot(p []byte) (*snapshot, error) {
	if len(p) < len(magic)+1+sha256.Size || string(p[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: %d bytes and no gear snapshot", ErrDamaged, len(p))
	}
	if v := p[len(magic)]; v != formatVersion {
		return nil, fmt.Errorf("%w: format %d, this build reads %d", ErrDamaged, v, formatVersion)
	}
	body, sum := p[:len(p)-sha256.Size], p[len(p)-sha256.Size:]
	if want := sha256.Sum256(body); !bytes.Equal(want[:], sum) {
		return nil, fmt.Errorf("%w: checksum differs", ErrDamaged)
	}
	r := reader{p: body[len(magic)+1:]}
	s := &snapshot{saved: time.Unix(0, int64(r.uint64())), ttl: time.Duration(r.uint64())}
	var set agentv1.OrderSet
	r.message(&set)
	read, problems := wire.ToOrderSet(&set)
	s.set = &read
	n := r.uint32()
	if r.err == nil && n > 2*maxTables { // those held, and those staged
		return nil, fmt.Errorf("%w: %d tables", ErrDamaged, n)
	}
	for range n {
		var table agentv1.LevelTable
		r.message(&table)
		if r.err != nil {
			break
		}
		t, bad := wire.ToTable(&table)
		problems = append(problems, bad...)
		s.tables = append(s.tables, t)
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.p) != 0:
		return nil, fmt.Errorf("%w: %d bytes too many", ErrDamaged, len(r.p))
	case len(problems) > 0:
		return nil, fmt.Errorf("%w: %w", ErrDamaged, problems)
	}
	return s, nil
}

// reader takes fields off a buffer until the first error.
type reader struct {
	p   []byte
	err error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && n > len(r.p) {
		r.err = fmt.Errorf("%w: ends early", ErrDamaged)
	}
	if r.err != nil {
		return nil
	}
	out := r.p[:n]
	r.p = r.p[n:]
	return out
}

func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uint32() uint32 {
	if b := r.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (r *reader) message(m proto.Message) {
	b := r.take(int(r.uint32()))
	if r.err == nil {
		if err := proto.Unmarshal(b, m); err != nil {
			r.err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
}

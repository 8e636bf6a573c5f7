package staged

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
	magic         = "ASSTAGE"
	formatVersion = 1
	headSize      = len(magic) + 1 + 8 + 4
)

// File is the name of the file within an agent's data directory.
const File = "gears.staged"

// ErrDamaged says that a file is not what was once written.
var ErrDamaged = errors.New("damaged staged steps")

// Encode makes the file's content; ahead is how far the machine's clock is ahead
// of reference time.
func Encode(s *gear.Staged, tables []gear.LevelTable, ahead time.Duration) ([]byte, error) {
	body, err := proto.Marshal(wire.FromStaged(s, tables))
	if err != nil {
		return nil, fmt.Errorf("encode staged steps: %w", err)
	}
	out := append([]byte(magic), formatVersion)
	out = binary.BigEndian.AppendUint64(out, uint64(ahead))
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
	out = append(out, body...)
	sum := sha256.Sum256(out)
	return append(out, sum[:]...), nil
}

// Decode reads a file's content.
func Decode(p []byte) (s gear.Staged, tables []gear.LevelTable, ahead time.Duration, err error) {
	if len(p) < headSize+sha256.Size || string(p[:len(magic)]) != magic {
		return s, nil, 0, fmt.Errorf("%w: %d bytes and no staged steps", ErrDamaged, len(p))
	}
	if v := p[len(magic)]; v != formatVersion {
		return s, nil, 0, fmt.Errorf("%w: format %d, this build reads %d", ErrDamaged, v, formatVersion)
	}
	body, sum := p[:len(p)-sha256.Size], p[len(p)-sha256.Size:]
	if want := sha256.Sum256(body); !bytes.Equal(want[:], sum) {
		return s, nil, 0, fmt.Errorf("%w: checksum differs", ErrDamaged)
	}
	ahead = time.Duration(binary.BigEndian.Uint64(body[len(magic)+1:]))
	rest := body[headSize:]
	if n := binary.BigEndian.Uint32(body[len(magic)+9:]); int(n) != len(rest) {
		return s, nil, 0, fmt.Errorf("%w: %d bytes of %d", ErrDamaged, len(rest), n)
	}
	var m agentv1.StagedSteps
	if err := proto.Unmarshal(rest, &m); err != nil {
		return s, nil, 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	s, tables, problems := wire.ToStaged(&m)
	if len(problems) > 0 {
		return s, nil, 0, fmt.Errorf("%w: %w", ErrDamaged, problems)
	}
	return s, tables, ahead, nil
}

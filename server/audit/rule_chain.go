package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// ChainHash links an entry to the one before it: SHA-256 over the previous
// entry's hash and every field of e but the hashes, each with its length in
// front so that no two entries share a preimage. Instants count as microseconds,
// the precision the store keeps.
func ChainHash(prev string, e *Entry) string {
	h := sha256.New()
	var n [8]byte
	num := func(v int64) {
		binary.BigEndian.PutUint64(n[:], uint64(v))
		h.Write(n[:])
	}
	num(1) // version of this layout
	num(e.Seq)
	num(e.At.UnixMicro())
	for _, s := range [...]string{
		prev, e.Actor, e.Via, e.Verb, e.Kind, e.Object, e.Name, e.App, e.IDC, e.Reason,
		e.RequestID, e.Address, e.IdempotencyKey, string(e.Before), string(e.After),
	} {
		num(int64(len(s)))
		h.Write([]byte(s))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// CheckLink says what is wrong with e as the successor of the entry prevSeq with
// prevHash (0 and "" before the first), nil when nothing is.
func CheckLink(prevSeq int64, prevHash string, e *Entry) error {
	switch {
	case e.Seq != prevSeq+1:
		return fmt.Errorf("entry %d follows entry %d: entries between them are gone", e.Seq, prevSeq)
	case e.PrevHash != prevHash:
		return fmt.Errorf("entry %d does not continue entry %d: one of them was replaced", e.Seq, prevSeq)
	case e.Hash != ChainHash(prevHash, e):
		return fmt.Errorf("entry %d was altered: its content does not give its hash", e.Seq)
	}
	return nil
}

package gearbox

import "crypto/sha256"

// Sealed puts a right checksum behind a snapshot's content.
func Sealed(p []byte) []byte {
	if len(p) > sha256.Size {
		p = p[:len(p)-sha256.Size]
	}
	sum := sha256.Sum256(p)
	return append(append([]byte(nil), p...), sum[:]...)
}

// RestoreContent is Restore without the file.
func (b *Box) RestoreContent(p []byte) error {
	s, err := decodeSnapshot(p)
	if err != nil {
		return err
	}
	return b.restore(s)
}

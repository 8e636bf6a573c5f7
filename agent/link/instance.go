package link

import (
	"crypto/rand"
	"encoding/hex"
	"strings"

	"github.com/allspark/allspark/proto/gear"
)

// NewInstance makes an instance id that no other process start has: the host and
// 48 random bits.
func NewInstance(host string) string { return newInstance(host) }

func newInstance(host string) string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the process instead
	id := "-" + hex.EncodeToString(b[:])
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && gear.PlaceName("a"+string(r)) {
			return r
		}
		return -1
	}, host)
	name = strings.TrimLeft(name, "._-")
	if name == "" {
		name = "agent"
	}
	return name[:min(len(name), gear.MaxName-len(id))] + id
}

func (l *Link) rename(instance string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.instance, l.status.Instance = instance, instance
	l.credential = credential{}
}

// inert makes text of another machine safe for a log line.
func inert(s string) string { return strings.Map(gear.Inert, s) }

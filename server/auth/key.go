package auth

import (
	"crypto/rand"
	"time"
)

func newKey(now time.Time) Key {
	secret := make([]byte, 32)
	rand.Read(secret)
	return Key{ID: newID(), Secret: secret, CreatedAt: now, Retires: now.Add(KeyLife + keyTail)}
}

// signer picks the newest key that every replica has had time to see; the oldest
// when all are brand new.
func signer(keys []Key, now time.Time) (Key, bool) {
	for i := len(keys) - 1; i >= 0; i-- {
		if now.Sub(keys[i].CreatedAt) >= keyPublished && now.Before(keys[i].Retires) {
			return keys[i], true
		}
	}
	if len(keys) > 0 {
		return keys[0], true
	}
	return Key{}, false
}

package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"

	"github.com/google/uuid"

	"github.com/allspark/allspark/proto/gear"
)

// Prefixes of the two kinds of secret, so that scanners of leaked secrets and
// people can tell them apart.
const (
	tokenPrefix = "ask_" // API token
	enrolPrefix = "ase_" // enrolment token
)

// newSecret makes a secret of 256 random bits and what is kept of it.
func newSecret(prefix string) (secret, shown, hash string) {
	b := make([]byte, 32)
	rand.Read(b)
	secret = prefix + base64.RawURLEncoding.EncodeToString(b)
	return secret, secret[:len(prefix)+4], hashSecret(secret)
}

// hashSecret needs no salt and no cost: nobody guesses 256 bits.
func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// newPassword generates a password that can be read aloud: 20 characters of an
// alphabet without look-alikes, 100 bits.
func newPassword() string {
	const alphabet = "abcdefghjkmnpqrstuvwxyz23456789-" // 32, so a byte's low five bits are unbiased
	b := make([]byte, 20)
	rand.Read(b)
	for i := range b {
		b[i] = alphabet[b[i]&31]
		if b[i] == '-' && (i == 0 || i == len(b)-1) {
			b[i] = 'x' // a dash at an end gets lost when copied
		}
	}
	return string(b)
}

// newID makes a UUIDv7.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

func problem(path, code, format string, args ...any) gear.Problems {
	return gear.Problems{{Path: path, Code: code, Message: fmt.Sprintf(format, args...)}}
}

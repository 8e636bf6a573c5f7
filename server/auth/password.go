package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/allspark/allspark/server/fault"
)

// Cost of a password hash: OWASP's first recommendation for argon2id. One costs
// about 25 ms and 19 MiB, so the pool below bounds memory at 38 MiB whoever knocks.
const (
	argonMemory = 19 * 1024 // KiB
	argonPasses = 2
	argonLanes  = 1
	argonKey    = 32
	argonSalt   = 16

	hashesAtOnce  = 2
	hashesWaiting = 64

	// MinPassword is the shortest password accepted, in characters.
	MinPassword = 12
	maxPassword = 256 // bytes: argon2 itself would take 4 GiB
)

// hasher bounds how many passwords are hashed at once.
type hasher struct {
	run  chan struct{}
	wait chan struct{}
}

func newHasher() *hasher {
	return &hasher{run: make(chan struct{}, hashesAtOnce), wait: make(chan struct{}, hashesAtOnce+hashesWaiting)}
}

func (h *hasher) enter(ctx context.Context) error {
	select {
	case h.wait <- struct{}{}:
	default:
		return fault.New(fault.RateLimited, "too many sign-ins at once, try again in a few seconds")
	}
	select {
	case h.run <- struct{}{}:
		return nil
	case <-ctx.Done():
		<-h.wait
		return fault.Wrap(fault.Unavailable, ctx.Err(), "sign-in was given up while waiting for its turn")
	}
}

func (h *hasher) leave() {
	<-h.run
	<-h.wait
}

// hash makes a PHC string of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	salt := make([]byte, argonSalt)
	rand.Read(salt) // never fails: crypto/rand aborts the program instead
	key := argon2.IDKey([]byte(password), salt, argonPasses, argonMemory, argonLanes, argonKey)
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonPasses, argonLanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key)), nil
}

// verify reports whether the password fits the PHC string. An unreadable hash
// costs as much as a wrong password, so timing tells nothing about accounts.
func (h *hasher) verify(ctx context.Context, phc, password string) (bool, error) {
	if err := h.enter(ctx); err != nil {
		return false, err
	}
	defer h.leave()
	memory, passes, lanes, salt, want, ok := parsePHC(phc)
	got := argon2.IDKey([]byte(password), salt, passes, memory, lanes, argonKey)
	return subtle.ConstantTimeCompare(got, want) == 1 && ok, nil
}

func parsePHC(s string) (memory, passes uint32, lanes uint8, salt, key []byte, ok bool) {
	memory, passes, lanes = argonMemory, argonPasses, argonLanes
	salt, key = make([]byte, argonSalt), make([]byte, argonKey)
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return memory, passes, lanes, salt, key, false
	}
	var m, t uint32
	var p uint8
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &m, &t, &p); err != nil || m > 1<<20 || t > 16 || t == 0 || p == 0 {
		return memory, passes, lanes, salt, key, false
	}
	sa, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	ke, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(ke) != argonKey {
		return memory, passes, lanes, salt, key, false
	}
	return m, t, p, sa, ke, true
}

// checkPassword refuses what is too short to be hashed with a clear conscience.
func checkPassword(password, name string) error {
	switch n := len([]rune(password)); {
	case n < MinPassword:
		return fault.WithProblems(problem("password", "range", "password wants at least %d characters, got %d", MinPassword, n), "the password is too short")
	case len(password) > maxPassword:
		return fault.WithProblems(problem("password", "range", "password wants at most %d bytes", maxPassword), "the password is too long")
	case strings.EqualFold(password, name) || strings.Count(password, password[:1]) == len(password):
		return fault.WithProblems(problem("password", "weak", "password is the user's name or one character repeated"), "the password is too easy to guess")
	}
	return nil
}

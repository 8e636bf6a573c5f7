package auth

import (
	"context"
	"time"

	"github.com/allspark/allspark/server/audit"
)

// User is a person who signs in.
type User struct {
	ID           string // UUIDv7
	Name         string // unique, [a-z0-9][a-z0-9._-]{0,62}
	Display      string
	PasswordHash string // argon2id in PHC form; never leaves the server
	Grants       []Grant
	Disabled     bool
	Epoch        int64 // sessions signed under a lower one are cut
	Version      int64 // ETag
	CreatedBy    string
	CreatedAt    time.Time
	UpdatedBy    string
	UpdatedAt    time.Time
	LastLogin    time.Time
}

// Token lets a program call the API. The secret is shown once and only its
// SHA-256 is kept.
type Token struct {
	ID        string // UUIDv7
	Name      string // unique
	Prefix    string // first characters of the secret, for people
	Hash      string // hex SHA-256 of the whole secret; unique
	Grants    []Grant
	Expires   time.Time // mandatory
	CreatedBy string
	CreatedAt time.Time
	Revoked   time.Time // zero while it stands
	RevokedBy string
	LastUsed  time.Time
}

// EnrolToken lets agents of one app x IDC (gear.Any allowed) register.
type EnrolToken struct {
	ID        string // UUIDv7
	Name      string // unique
	Prefix    string
	Hash      string // hex SHA-256; unique
	App, IDC  string
	Expires   time.Time
	CreatedBy string
	CreatedAt time.Time
	Revoked   time.Time
	RevokedBy string
}

// Key signs sessions and credentials.
type Key struct {
	ID        string // kid
	Secret    []byte // 32 random bytes
	CreatedAt time.Time
	Retires   time.Time // verifies until then
}

// Revocation ends one session before it expires.
type Revocation struct {
	JTI     string
	UserID  string
	Expires time.Time // of the session: afterwards the row is garbage
}

// Snapshot is all that a check needs, as of Counter.
type Snapshot struct {
	Counter     int64
	Users       []*User       // every user
	Tokens      []*Token      // neither revoked nor expired at the given time
	Enrol       []*EnrolToken // neither revoked nor expired at the given time
	Revocations []Revocation  // not expired at the given time
	Keys        []Key         // not retired at the given time, oldest first
}

// Store keeps users, tokens, keys and revocations.
//
// Every write but TouchTokens and TouchLogin raises one counter in the same
// transaction, by which replicas learn that their snapshot is old. Writes with
// a Change append it to the audit log in the same transaction, refuse a Version
// that is not the stored one (fault.Stale) and a name that is taken
// (fault.Conflict); an unknown id is fault.NotFound.
type Store interface {
	CreateUser(ctx context.Context, u *User, c audit.Change) error
	// UpdateUser writes every field but LastLogin and raises Version.
	UpdateUser(ctx context.Context, u *User, c audit.Change) error
	DeleteUser(ctx context.Context, id string, version int64, c audit.Change) error
	GetUser(ctx context.Context, id string) (*User, error)
	FindUser(ctx context.Context, name string) (*User, error)
	ListUsers(ctx context.Context) ([]*User, error)
	// TouchLogin sets LastLogin and appends c.
	TouchLogin(ctx context.Context, userID string, at time.Time, c audit.Change) error

	CreateToken(ctx context.Context, t *Token, c audit.Change) error
	RevokeToken(ctx context.Context, id string, at time.Time, c audit.Change) error
	GetToken(ctx context.Context, id string) (*Token, error)
	ListTokens(ctx context.Context) ([]*Token, error)
	// TouchTokens sets LastUsed by id, in one batch and without audit.
	TouchTokens(ctx context.Context, used map[string]time.Time) error

	CreateEnrolToken(ctx context.Context, t *EnrolToken, c audit.Change) error
	RevokeEnrolToken(ctx context.Context, id string, at time.Time, c audit.Change) error
	GetEnrolToken(ctx context.Context, id string) (*EnrolToken, error)
	ListEnrolTokens(ctx context.Context) ([]*EnrolToken, error)

	// RevokeSession is idempotent on JTI and drops expired revocations.
	RevokeSession(ctx context.Context, r Revocation, c audit.Change) error

	// AddKey appends k unless the newest key of the store was created after
	// newest (another replica rotated first): then added is false. Keys that
	// retired before k was created are dropped.
	AddKey(ctx context.Context, k Key, newest time.Time) (added bool, err error)

	// AuthCounter is the counter alone: one indexed row.
	AuthCounter(ctx context.Context) (int64, error)
	// AuthSnapshot reads everything in one transaction.
	AuthSnapshot(ctx context.Context, at time.Time) (*Snapshot, error)

	// Now is reference time: the database's.
	Now(ctx context.Context) (time.Time, error)
}

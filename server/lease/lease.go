package lease

import (
	"context"
	"time"
)

// Controller names the lease of the one replica that decides. Its epoch fences
// the journal.
const Controller = "controller"

// Lease is the state of the one named lease.
type Lease struct {
	Name    string
	Holder  string
	Epoch   int64 // rises whenever the lease changes hands
	Expires time.Time
}

// Store keeps the lease under the database's own clock.
type Store interface {
	// AcquireLease takes or renews the lease for holder. When somebody else holds
	// it, the lease returned names them and ok is false.
	AcquireLease(ctx context.Context, name, holder string, ttl time.Duration) (l Lease, ok bool, err error)
	// ReleaseLease gives it up early, so that a successor need not wait.
	ReleaseLease(ctx context.Context, name, holder string) error
}

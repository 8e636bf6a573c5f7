package auth

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/allspark/allspark/server/fault"
)

const (
	// RefreshEvery is how often a replica asks whether its snapshot is old.
	RefreshEvery = time.Second
	// MaxStale is how long a snapshot counts when the store does not answer.
	MaxStale = 10 * time.Second
	// KeyLife is how long a key signs.
	KeyLife = 30 * 24 * time.Hour

	keyTail       = CredentialLife + time.Hour // a retired signer verifies what it signed
	keyPublished  = 3 * RefreshEvery           // a new key signs when every replica has seen it
	touchEvery    = time.Minute
	refreshBudget = 5 * time.Second
)

// Service answers who is calling, and keeps users, tokens and keys.
type Service struct {
	store   Store
	log     *slog.Logger
	hasher  *hasher
	account *limiter
	address *limiter
	dummy   string // hash that unknown names are checked against

	view   atomic.Pointer[view]
	freshT atomic.Int64 // unix nanoseconds of the last answer of the store
	reload sync.Mutex

	usedMu sync.Mutex
	used   map[string]time.Time

	stop context.CancelFunc
	done chan struct{}
}

// view is a snapshot, indexed. It is never changed once published.
type view struct {
	*Snapshot
	users   map[string]*User
	tokens  map[string]*Token      // by hash
	enrol   map[string]*EnrolToken // by hash
	revoked map[string]bool        // by jti
}

// New makes a service; nothing is read before Start.
func New(store Store, log *slog.Logger) *Service {
	return &Service{
		store: store, log: log, hasher: newHasher(),
		account: newLimiter(accountBurst, accountEvery, limiterSize),
		address: newLimiter(addressBurst, addressEvery, limiterSize),
		used:    map[string]time.Time{},
	}
}

// Start reads the first snapshot, makes a key if there is none, and keeps the
// snapshot fresh until Stop.
func (s *Service) Start(ctx context.Context) error {
	var err error
	if s.dummy, err = s.hasher.hash(ctx, newPassword()); err != nil {
		return err
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	if err := s.rotate(ctx, time.Now()); err != nil {
		return err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop, s.done = stop, make(chan struct{})
	go s.loop(run)
	return nil
}

// Stop ends the loop and writes what it still holds. It may be called twice, or
// without Start.
func (s *Service) Stop() {
	if s.stop == nil {
		return
	}
	s.stop()
	<-s.done
}

func (s *Service) loop(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(RefreshEvery)
	defer tick.Stop()
	touched := time.Now()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshBudget)
			s.touch(last)
			cancel()
			return
		case now := <-tick.C:
			s.runOnce(ctx, now)
			if now.Sub(touched) >= touchEvery {
				s.touch(ctx)
				touched = now
			}
		}
	}
}

// runOnce asks for the counter, reloads if it moved, and rotates a key that is due.
func (s *Service) runOnce(ctx context.Context, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, refreshBudget)
	defer cancel()
	n, err := s.store.AuthCounter(ctx)
	if err == nil {
		if n != s.view.Load().Counter {
			err = s.refresh(ctx)
		} else {
			s.freshT.Store(now.UnixNano())
		}
	}
	if err == nil {
		err = s.rotate(ctx, now)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Warn("auth: cannot refresh, the last snapshot stands for a while", "err", err, "max_stale", MaxStale)
	}
}

// refresh reads a snapshot now. Concurrent callers each get one read after their
// call began, so a writer sees its own write.
func (s *Service) refresh(ctx context.Context) error {
	s.reload.Lock()
	defer s.reload.Unlock()
	now := time.Now()
	snap, err := s.store.AuthSnapshot(ctx, now)
	if err != nil {
		return err
	}
	v := &view{
		Snapshot: snap, users: map[string]*User{}, tokens: map[string]*Token{},
		enrol: map[string]*EnrolToken{}, revoked: map[string]bool{},
	}
	for _, u := range snap.Users {
		v.users[u.ID] = u
	}
	for _, t := range snap.Tokens {
		v.tokens[t.Hash] = t
	}
	for _, t := range snap.Enrol {
		v.enrol[t.Hash] = t
	}
	for _, r := range snap.Revocations {
		v.revoked[r.JTI] = true
	}
	s.view.Store(v)
	s.freshT.Store(now.UnixNano())
	return nil
}

// rotate adds a key when the newest has signed for KeyLife, or none exists.
func (s *Service) rotate(ctx context.Context, now time.Time) error {
	keys := s.view.Load().Keys
	var newest time.Time
	if len(keys) > 0 {
		newest = keys[len(keys)-1].CreatedAt
		if now.Sub(newest) < KeyLife {
			return nil
		}
	}
	k := newKey(now)
	added, err := s.store.AddKey(ctx, k, newest)
	if err != nil {
		return err
	}
	if added {
		s.log.Info("auth: new signing key", "kid", k.ID)
	}
	return s.refresh(ctx)
}

// current gives the snapshot, or Unavailable when it is too old to trust.
func (s *Service) current(now time.Time) (*view, error) {
	v := s.view.Load()
	if v == nil || now.Sub(time.Unix(0, s.freshT.Load())) > MaxStale {
		return nil, fault.New(fault.Unavailable, "sign-in state cannot be read right now")
	}
	return v, nil
}

// wrote makes a write of this replica visible on it at once.
func (s *Service) wrote(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshBudget)
	defer cancel()
	if err := s.refresh(ctx); err != nil {
		s.log.Warn("auth: change was written but not yet read back", "err", err)
	}
}

// touch writes when tokens were last used.
func (s *Service) touch(ctx context.Context) {
	s.usedMu.Lock()
	used := s.used
	s.used = map[string]time.Time{}
	s.usedMu.Unlock()
	if len(used) == 0 {
		return
	}
	if err := s.store.TouchTokens(ctx, used); err != nil {
		s.log.Warn("auth: last use of tokens was not written", "err", err)
	}
}

package servertest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Network carries the agents' connections, so that a test can move the controller
// or cut off a place. The connections are real TCP on loopback.
type Network struct {
	jitter atomic.Int64

	mu    sync.Mutex
	to    string
	cut   map[string]bool
	conns map[*cable]struct{}
}

// cable is one connection, of the agents of a place.
type cable struct {
	net.Conn
	net    *Network
	place  string
	dead   atomic.Bool   // nothing passes, and nobody is told
	closed chan struct{} // of a dead one, by the agent
	once   sync.Once
}

var errCut = errors.New("the network is cut")

// NewNetwork leads every dial to the address.
func NewNetwork(to string) *Network {
	return &Network{to: to, cut: map[string]bool{}, conns: map[*cable]struct{}{}}
}

// Dialer gives the dialer of a place's agents.
func (n *Network) Dialer(place string) func(ctx context.Context, address string) (net.Conn, error) {
	return func(ctx context.Context, _ string) (net.Conn, error) {
		n.mu.Lock()
		to, cut := n.to, n.cut[place]
		n.mu.Unlock()
		if cut {
			return nil, errCut
		}
		c, err := new(net.Dialer).DialContext(ctx, "tcp", to)
		if err != nil {
			return nil, err
		}
		w := &cable{Conn: c, net: n, place: place, closed: make(chan struct{})}
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.cut[place] {
			_ = c.Close()
			return nil, errCut
		}
		n.conns[w] = struct{}{}
		return w, nil
	}
}

// Read implements net.Conn.
func (w *cable) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.delay()
	if w.dead.Load() {
		<-w.closed
		return 0, net.ErrClosed
	}
	return n, err
}

// Write implements net.Conn.
func (w *cable) Write(p []byte) (int, error) {
	if w.dead.Load() {
		return len(p), nil
	}
	w.delay()
	return w.Conn.Write(p)
}

// Jitter delays what agents send and what they get from now on, each time by up to
// this, evenly.
func (n *Network) Jitter(most time.Duration) { n.jitter.Store(int64(most)) }

func (w *cable) delay() {
	if most := w.net.jitter.Load(); most > 0 {
		time.Sleep(time.Duration(rand.Int64N(most)))
	}
}

// Close implements net.Conn. The controller does not hear of a dead one's close.
func (w *cable) Close() error {
	if w.dead.Load() {
		w.once.Do(func() {
			close(w.closed)
			_ = w.Conn.SetReadDeadline(time.Now())
		})
		return nil
	}
	w.net.mu.Lock()
	delete(w.net.conns, w)
	w.net.mu.Unlock()
	return w.Conn.Close()
}

// Cut ends a place's connections and lets no new ones through.
func (n *Network) Cut(place string) {
	n.mu.Lock()
	n.cut[place] = true
	var ended []*cable
	for w := range n.conns {
		if w.place == place {
			ended = append(ended, w)
		}
	}
	n.mu.Unlock()
	for _, w := range ended {
		_ = w.Close()
	}
}

// Deaden lets nothing pass on a place's connections any more, while neither side
// is told, as when a cable is drawn. New connections work.
func (n *Network) Deaden(place string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for w := range n.conns {
		if w.place == place {
			w.dead.Store(true)
		}
	}
}

// CloseDead closes a place's dead connections at last, and tells how many.
func (n *Network) CloseDead(place string) (closed int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for w := range n.conns {
		if w.place == place && w.dead.Load() {
			delete(n.conns, w)
			_ = w.Conn.Close()
			closed++
		}
	}
	return closed
}

// Heal lets a place through again.
func (n *Network) Heal(place string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.cut, place)
}

// Lead sends later dials elsewhere: the controller has moved.
func (n *Network) Lead(to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.to = to
}

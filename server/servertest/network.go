package servertest

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Network carries the agents' connections, so that a test can move the controller
// or cut off a place. The connections are real TCP on loopback.
type Network struct {
	mu    sync.Mutex
	to    string
	cut   map[string]bool
	conns map[*wire]struct{}
}

// wire is one connection, of the agents of a place.
type wire struct {
	net.Conn
	net   *Network
	place string
}

var errCut = errors.New("the network is cut")

// NewNetwork leads every dial to the address.
func NewNetwork(to string) *Network {
	return &Network{to: to, cut: map[string]bool{}, conns: map[*wire]struct{}{}}
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
		w := &wire{Conn: c, net: n, place: place}
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

// Close implements net.Conn.
func (w *wire) Close() error {
	w.net.mu.Lock()
	delete(w.net.conns, w)
	w.net.mu.Unlock()
	return w.Conn.Close()
}

// Cut ends a place's connections and lets no new ones through.
func (n *Network) Cut(place string) {
	n.mu.Lock()
	n.cut[place] = true
	var ended []*wire
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

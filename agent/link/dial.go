package link

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Dialer opens a connection to an address.
type Dialer func(ctx context.Context, address string) (net.Conn, error)

const (
	// window is fixed on both sides: a window that may grow makes grpc-go ping
	// whenever data arrives, which doubles the cost of a rare push.
	window = 64 << 10

	bufferSize = 4 << 10
	maxMessage = 16 << 20 // 10,000 orders with their tables
)

// dial makes the connection of one attempt; nothing is sent before the first call.
func dial(address string, tlsConfig *tls.Config, dialer Dialer) (*grpc.ClientConn, error) {
	creds := insecure.NewCredentials()
	if tlsConfig != nil {
		creds = credentials.NewTLS(tlsConfig)
	}
	opts := []grpc.DialOption{
		grpc.WithTransportCredentials(creds),
		grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window),
		grpc.WithReadBufferSize(bufferSize), grpc.WithWriteBufferSize(bufferSize),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage)),
		grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(), grpc.WithNoProxy(),
		grpc.WithIdleTimeout(0),
	}
	if dialer != nil {
		opts = append(opts, grpc.WithContextDialer(dialer))
	}
	cc, err := grpc.NewClient("passthrough:///"+address, opts...)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", address, err)
	}
	return cc, nil
}

// CheckAddress refuses to send credentials in the clear to another machine.
func CheckAddress(address string) error {
	if strings.HasPrefix(address, "unix:") {
		return nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("controller address %q: %w", address, err)
	}
	if host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("controller address %q is on another machine: give a TLS config", address)
}

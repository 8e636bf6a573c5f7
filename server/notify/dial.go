package notify

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// special are networks that are not the public internet and that the standard
// library has no word for.
var special = prefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"240.0.0.0/4", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "fec0::/10",
)

func prefixes(text ...string) (out []netip.Prefix) {
	for _, t := range text {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

// ParseAllow reads the networks that configuration allows besides the public ones.
func ParseAllow(text []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, t := range text {
		p, err := netip.ParsePrefix(t)
		if err != nil {
			a, aerr := netip.ParseAddr(t)
			if aerr != nil {
				return nil, fmt.Errorf("want a network like 10.0.0.0/8 or an address, got %q", t)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// guard refuses addresses that are neither public nor allowed. It is asked with
// the address that is about to be connected to, so a name cannot resolve to
// something else in between.
func guard(allow []netip.Prefix) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("the address cannot be read")
		}
		a := ap.Addr().Unmap().WithZone("")
		for _, p := range allow {
			if p.Contains(a) {
				return nil
			}
		}
		if !public(a) {
			return fmt.Errorf("the sink's address %s is not a public one; alerts.allow in the configuration can allow its network", a)
		}
		return nil
	}
}

func public(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// client makes an HTTP client that dials only what guard lets it.
func client(allow []netip.Prefix) *http.Client {
	dialer := &net.Dialer{Timeout: 5 * time.Second, Control: guard(allow)}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 8 * time.Second,
			MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: 32 << 10,
			// Proxy stays nil: a proxy would be dialled instead of the address that is checked.
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

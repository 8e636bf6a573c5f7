package agent

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/allspark/allspark/agent/link"
	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/proto/wire"
)

// Config says which app this is and where its controllers are.
type Config struct {
	App string // required
	IDC string // required

	Host     string // the machine's name when empty
	Build    string // the app's version, for people
	Instance string // made from Host and random bits when empty

	// Address of the controllers, host:port, several separated by commas: they
	// are tried in turn. Without one the agent answers with what it has.
	Address    string
	EnrolToken string      // bound to App and IDC; traded for a credential
	TLS        *tls.Config // required unless the address is on this machine

	// DataDir keeps the last good orders over a restart; nothing is kept when empty.
	DataDir string

	// CPU gives the share of the machine's cores that are busy, 0..1, negative
	// when unknown. Nil reads the kernel's counters.
	CPU func() float64

	Log *slog.Logger // slog.Default() when nil
}

// Option changes how an agent is built beyond its Config.
type Option func(*options)

type options struct {
	dialer link.Dialer
	skew   time.Duration
}

// WithDialer opens connections to controllers by a function of the caller's: an
// in-memory listener, a proxy, a sidecar's socket. The caller answers for the
// secrecy of the connection; Config.TLS still applies on top of it.
func WithDialer(dial func(ctx context.Context, address string) (net.Conn, error)) Option {
	return func(o *options) { o.dialer = dial }
}

// WithClockOffset shifts what the agent takes for its machine's clock, so that a
// test can tell what an engine does whose clock is wrong. Reference time, by which
// planned steps fire, comes from the controllers and is not shifted.
func WithClockOffset(ahead time.Duration) Option {
	return func(o *options) { o.skew = ahead }
}

// addresses splits Config.Address.
func (c *Config) addresses() []string {
	var out []string
	for a := range strings.SplitSeq(c.Address, ",") {
		if a = strings.TrimSpace(a); a != "" {
			out = append(out, a)
		}
	}
	return out
}

// complete fills in what was left out.
func (c *Config) complete() {
	if c.Host == "" {
		c.Host, _ = os.Hostname()
	}
	if c.Instance == "" {
		c.Instance = link.NewInstance(c.Host)
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.Log = c.Log.With("component", "allspark", "app", c.App, "idc", c.IDC)
}

func (c *Config) check(o options) gear.Problems {
	var out gear.Problems
	name := func(path, what, v string) {
		switch {
		case v == "":
			out.Add("config."+path, gear.CodeRequired, "the agent needs the name of its "+what)
		case !gear.PlaceName(v):
			out.Add("config."+path, gear.CodeName, fmt.Sprintf("%q is not a name of %s: letters, digits, . _ -, at most %d bytes", gear.Shown(v), what, gear.MaxName))
		}
	}
	name("app", "app", c.App)
	name("idc", "IDC", c.IDC)
	name("instance", "instance", c.Instance)
	for _, x := range []struct{ path, v string }{{"host", c.Host}, {"build", c.Build}} {
		if n := len(x.v); n > wire.MaxName {
			out.Add("config."+x.path, gear.CodeLength, fmt.Sprintf("%s has at most %d bytes, got %d", x.path, wire.MaxName, n))
		}
	}
	if o.dialer != nil || c.TLS != nil {
		return out
	}
	for _, a := range c.addresses() {
		if err := link.CheckAddress(a); err != nil {
			out.Add("config.address", "address", err.Error())
		}
	}
	return out
}

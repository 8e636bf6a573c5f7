package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"time"
)

// Config is everything `allspark serve` can be told.
type Config struct {
	HTTP      HTTP      `koanf:"http"`
	GRPC      GRPC      `koanf:"grpc"`
	Ops       Ops       `koanf:"ops"`
	DataDir   string    `koanf:"data_dir"`
	Database  string    `koanf:"database"`
	Redis     Redis     `koanf:"redis"`
	Replica   string    `koanf:"replica"`
	Lease     Lease     `koanf:"lease"`
	Agents    Agents    `koanf:"agents"`
	Alerts    Alerts    `koanf:"alerts"`
	Retention Retention `koanf:"retention"`
	Log       Log       `koanf:"log"`
	Demo      Demo      `koanf:"demo"`

	// ClockOffset shifts what this process takes for its machine's clock. No flag,
	// file or variable reads it: tests skew a controller by it.
	ClockOffset time.Duration `koanf:"-"`
}

// HTTP is the console's and the REST API's listener.
type HTTP struct {
	Addr           string   `koanf:"addr"`
	TLSCert        string   `koanf:"tls_cert"`
	TLSKey         string   `koanf:"tls_key"`
	TrustedProxies []string `koanf:"trusted_proxies"`
}

// Redis shares the quota window between replicas. Without a URL the window is in
// the process, which is right for one replica only.
type Redis struct {
	URL     string `koanf:"url"`
	Cluster bool   `koanf:"cluster"`
	Prefix  string `koanf:"prefix"`
}

// GRPC is the agents' listener.
type GRPC struct {
	Addr    string `koanf:"addr"`
	TLSCert string `koanf:"tls_cert"`
	TLSKey  string `koanf:"tls_key"`
}

// Ops is the listener for metrics and profiles; off without an address.
type Ops struct {
	Addr string `koanf:"addr"`
}

// Lease elects the one replica that decides.
type Lease struct {
	TTL time.Duration `koanf:"ttl"`
}

// Agents are the intervals and limits the controller tells agents, and the rules
// for those it no longer hears.
type Agents struct {
	ReportInterval time.Duration `koanf:"report_interval"`
	FrameInterval  time.Duration `koanf:"frame_interval"`
	ClockInterval  time.Duration `koanf:"clock_interval"`
	OrderTTL       time.Duration `koanf:"order_ttl"`
	StaleAfter     time.Duration `koanf:"stale_after"`
	ForgetAfter    time.Duration `koanf:"forget_after"`
}

// Alerts say where sinks may be, and where the console is that messages link to.
type Alerts struct {
	Allow      []string `koanf:"allow"`
	ConsoleURL string   `koanf:"console_url"`
}

// Retention bounds history.
type Retention struct {
	Minutes time.Duration `koanf:"minutes"`
	Hours   time.Duration `koanf:"hours"`  // the journal and its level tables too
	Claims  time.Duration `koanf:"claims"` // after their end; at least a day longer than the journal
}

// Log is where and how much is logged.
type Log struct {
	Level  string `koanf:"level"`
	Format string `koanf:"format"`
}

// Demo is the sample engine of `allspark demo`.
type Demo struct {
	Rate     int     `koanf:"rate"`
	Speed    float64 `koanf:"speed"`
	Machines int     `koanf:"machines"`
	Seed     uint64  `koanf:"seed"`
}

// Default gives the embedded defaults: loopback only, SQLite in ./data.
func Default() Config {
	return Config{
		HTTP:    HTTP{Addr: "127.0.0.1:8080"},
		GRPC:    GRPC{Addr: "127.0.0.1:8081"},
		DataDir: "data",
		Lease:   Lease{TTL: 6 * time.Second},
		Redis:   Redis{Prefix: "allspark"},
		Agents: Agents{
			ReportInterval: time.Second, FrameInterval: 100 * time.Millisecond, ClockInterval: 10 * time.Second,
			// An agent keeps the last good set for a day: levels chosen for yesterday's
			// traffic are still better than what the code was compiled with.
			OrderTTL:   24 * time.Hour,
			StaleAfter: 5 * time.Second, ForgetAfter: 24 * time.Hour,
		},
		Retention: Retention{Minutes: 7 * 24 * time.Hour, Hours: 90 * 24 * time.Hour, Claims: 180 * 24 * time.Hour},
		Log:       Log{Level: "info", Format: "text"},
		Demo:      Demo{Rate: 40, Speed: 1, Machines: 3, Seed: 1},
	}
}

// DSN gives the database to open: the one set, else a SQLite file in the data
// directory.
func (c *Config) DSN() string {
	if c.Database != "" {
		return c.Database
	}
	return "sqlite:" + filepath.Join(c.DataDir, "allspark.db")
}

// Validate names the first setting that cannot work and what it wants.
func (c *Config) Validate() error {
	for key, addr := range map[string]string{"http.addr": c.HTTP.Addr, "grpc.addr": c.GRPC.Addr} {
		if _, _, err := net.SplitHostPort(addr); err != nil {
			return fmt.Errorf("%s wants host:port, got %q", key, addr)
		}
	}
	if c.Ops.Addr != "" {
		if _, _, err := net.SplitHostPort(c.Ops.Addr); err != nil {
			return fmt.Errorf("ops.addr wants host:port or nothing, got %q", c.Ops.Addr)
		}
	}
	for key, pair := range map[string][2]string{"http": {c.HTTP.TLSCert, c.HTTP.TLSKey}, "grpc": {c.GRPC.TLSCert, c.GRPC.TLSKey}} {
		if (pair[0] == "") != (pair[1] == "") {
			return fmt.Errorf("%s.tls_cert and %s.tls_key go together", key, key)
		}
	}
	if c.DataDir == "" {
		return fmt.Errorf("data_dir wants a directory, got nothing")
	}
	for _, n := range c.Alerts.Allow {
		if _, err := netip.ParsePrefix(n); err != nil {
			if _, err := netip.ParseAddr(n); err != nil {
				return fmt.Errorf("alerts.allow wants networks like 10.0.0.0/8, got %q", n)
			}
		}
	}
	if u := c.Alerts.ConsoleURL; u != "" {
		if p, err := url.Parse(u); err != nil || p.Scheme != "http" && p.Scheme != "https" || p.Host == "" {
			return fmt.Errorf("alerts.console_url wants http:// or https:// and a host, got %q", u)
		}
	}
	type bound struct {
		key      string
		got      time.Duration
		min, max time.Duration
	}
	for _, b := range []bound{
		{"lease.ttl", c.Lease.TTL, time.Second, time.Minute},
		{"agents.report_interval", c.Agents.ReportInterval, 100 * time.Millisecond, time.Minute},
		{"agents.frame_interval", c.Agents.FrameInterval, 10 * time.Millisecond, time.Second},
		{"agents.clock_interval", c.Agents.ClockInterval, time.Second, 10 * time.Minute},
		{"agents.order_ttl", c.Agents.OrderTTL, time.Second, 365 * 24 * time.Hour},
		{"agents.stale_after", c.Agents.StaleAfter, c.Agents.ReportInterval, time.Hour},
		{"agents.forget_after", c.Agents.ForgetAfter, time.Minute, 365 * 24 * time.Hour},
		{"retention.minutes", c.Retention.Minutes, time.Hour, 365 * 24 * time.Hour},
		{"retention.hours", c.Retention.Hours, 24 * time.Hour, 5 * 365 * 24 * time.Hour},
		{"retention.claims", c.Retention.Claims, 48 * time.Hour, 10 * 365 * 24 * time.Hour},
	} {
		if b.got < b.min || b.got > b.max {
			return fmt.Errorf("%s wants %v..%v, got %v", b.key, b.min, b.max, b.got)
		}
	}
	switch c.Log.Level {
	case "debug", "info", "warn", "error":
	default:
		return fmt.Errorf("log.level wants debug, info, warn or error, got %q", c.Log.Level)
	}
	if c.Log.Format != "text" && c.Log.Format != "json" {
		return fmt.Errorf("log.format wants text or json, got %q", c.Log.Format)
	}
	if c.Demo.Rate < 1 || c.Demo.Rate > 1000 {
		return fmt.Errorf("demo.rate wants 1..1000 copies of the trace, got %d", c.Demo.Rate)
	}
	if c.Demo.Speed <= 0 || c.Demo.Speed > 1000 {
		return fmt.Errorf("demo.speed wants a factor in (0, 1000], got %v", c.Demo.Speed)
	}
	if c.Demo.Machines < 1 || c.Demo.Machines > 100 {
		return fmt.Errorf("demo.machines wants 1..100 an app and IDC, got %d", c.Demo.Machines)
	}
	return nil
}

// Loopback reports whether addr can only be reached from this machine.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

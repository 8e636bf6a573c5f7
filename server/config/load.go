package config

import (
	"fmt"
	"net"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// BindFlags adds a flag a setting to fs, with the defaults shown in its help.
func BindFlags(fs *pflag.FlagSet, demo bool) {
	d := Default()
	// Settings are written with underscores, flags with dashes; either is taken.
	fs.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	fs.String("config", "", "YAML file with settings")
	fs.String("http.addr", d.HTTP.Addr, "console and REST API listen here")
	fs.String("http.tls_cert", "", "PEM certificate for the console")
	fs.String("http.tls_key", "", "PEM key for the console")
	fs.StringSlice("http.trusted_proxies", nil, "proxies whose X-Forwarded-For is believed (CIDRs; none by default)")
	fs.String("grpc.addr", d.GRPC.Addr, "agents connect here")
	fs.String("grpc.tls_cert", "", "PEM certificate for the agents' stream")
	fs.String("grpc.tls_key", "", "PEM key for the agents' stream")
	fs.String("ops.addr", "", "metrics and profiles, without credentials: keep it private (default: off)")
	fs.String("data_dir", d.DataDir, "where the SQLite file, keys and agents' snapshots live")
	fs.String("database", "", "postgres://… or sqlite:FILE (default: a SQLite file in data_dir)")
	fs.String("redis.url", "", "redis://host:port or unix:///socket: shares the quota window between replicas (default: in the process)")
	fs.Bool("redis.cluster", false, "redis.url names nodes of a Redis Cluster")
	fs.String("redis.prefix", d.Redis.Prefix, "of all keys in Redis")
	fs.String("replica", "", "this controller's name among replicas (default: host and agents' port)")
	fs.Duration("lease.ttl", d.Lease.TTL, "how long a silent lease holder keeps the lease")
	fs.Duration("agents.report_interval", d.Agents.ReportInterval, "how often agents report")
	fs.Duration("agents.frame_interval", d.Agents.FrameInterval, "acknowledgements ride on the next frame")
	fs.Duration("agents.clock_interval", d.Agents.ClockInterval, "how often agents measure their clock offset")
	fs.Duration("agents.order_ttl", d.Agents.OrderTTL, "how long an agent keeps its last good orders without a controller")
	fs.Duration("agents.stale_after", d.Agents.StaleAfter, "a connected agent silent for this long is stale")
	fs.Duration("agents.forget_after", d.Agents.ForgetAfter, "a disconnected agent is forgotten after this")
	fs.StringSlice("alerts.allow", nil, "networks besides the public ones that alerts may be sent to (CIDRs; none by default)")
	fs.String("alerts.console_url", "", "https://… of the console: alerts link to it (default: none, on this machine its own address)")
	fs.Duration("retention.minutes", d.Retention.Minutes, "history by minute is kept this long")
	fs.Duration("retention.hours", d.Retention.Hours, "history by hour, and the journal of orders, are kept this long")
	fs.Duration("retention.claims", d.Retention.Claims, "claims are kept this long after their end, at least a day longer than the journal")
	fs.String("log.level", d.Log.Level, "debug, info, warn or error")
	fs.String("log.format", d.Log.Format, "text or json")
	if demo {
		fs.Int("rate", d.Demo.Rate, "copies of the trace superposed: offered load")
		fs.Float64("speed", d.Demo.Speed, "how fast the trace's clock runs, at constant requests per second")
		fs.Int("machines", d.Demo.Machines, "machines an app and IDC")
		fs.Uint64("seed", d.Demo.Seed, "seed of every random stream")
	}
}

// Load reads defaults, the file named by --config, ALLSPARK_* variables and the
// flags that were set, in that order, and validates the outcome.
func Load(fs *pflag.FlagSet) (Config, error) {
	c := Default()
	k := koanf.New(".")
	if path, _ := fs.GetString("config"); path != "" {
		if err := k.Load(file.Provider(path), yaml.Parser()); err != nil {
			return c, fmt.Errorf("read settings from %s: %w", path, err)
		}
	}
	known := map[string]string{} // ALLSPARK_LEASE_TTL -> lease.ttl
	fs.VisitAll(func(f *pflag.Flag) {
		known["ALLSPARK_"+strings.ToUpper(strings.ReplaceAll(key(f.Name), ".", "_"))] = key(f.Name)
	})
	envs := env.Provider(".", env.Opt{Prefix: "ALLSPARK_", TransformFunc: func(name, value string) (string, any) {
		return known[name], value // "" drops variables that are no setting, such as ALLSPARK_TOKEN
	}})
	if err := k.Load(envs, nil); err != nil {
		return c, fmt.Errorf("read settings from the environment: %w", err)
	}
	set := map[string]any{}
	fs.Visit(func(f *pflag.Flag) {
		if f.Name != "config" {
			set[key(f.Name)] = posflag.FlagVal(fs, f)
		}
	})
	if err := k.Load(confmap.Provider(set, "."), nil); err != nil {
		return c, fmt.Errorf("read flags: %w", err)
	}
	var md mapstructure.Metadata
	err := k.UnmarshalWithConf("", &c, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: &c, Metadata: &md, TagName: "koanf", WeaklyTypedInput: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
	}})
	if err != nil {
		return c, fmt.Errorf("settings: %w", err)
	}
	if len(md.Unused) > 0 {
		sort.Strings(md.Unused)
		return c, fmt.Errorf("settings: unknown key %s", strings.Join(md.Unused, ", "))
	}
	if err := c.Validate(); err != nil {
		return c, err
	}
	if c.Replica == "" {
		c.Replica = defaultReplica(c.GRPC.Addr)
	}
	return c, nil
}

// defaultReplica must be the same after a restart, so that history goes on in the
// same rows, and differ between two controllers of one machine: the agents' port
// does both.
func defaultReplica(addr string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "controller"
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil || port == "0" {
		port = strconv.Itoa(os.Getpid())
	}
	return host + "-" + port
}

// key maps a flag to its setting: the demo's flags have no prefix of their own
// because they are typed by hand most.
func key(flag string) string {
	switch flag {
	case "rate", "speed", "machines", "seed":
		return "demo." + flag
	case "config":
		return ""
	}
	return strings.ReplaceAll(flag, "-", "_")
}

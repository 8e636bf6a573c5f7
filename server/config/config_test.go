package config

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

func load(t *testing.T, args ...string) (Config, error) {
	t.Helper()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	BindFlags(fs, true)
	require.NoError(t, fs.Parse(args))
	return Load(fs)
}

func TestDefaultsAreValidAndLoopback(t *testing.T) {
	c, err := load(t)
	require.NoError(t, err)
	require.True(t, Loopback(c.HTTP.Addr))
	require.True(t, Loopback(c.GRPC.Addr))
	require.Equal(t, "sqlite:data/allspark.db", c.DSN())
	require.NotEmpty(t, c.Replica)
}

func TestEachSourceOverridesTheOneBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "allspark.yaml")
	require.NoError(t, os.WriteFile(path, []byte("lease: {ttl: 9s}\nlog: {level: debug, format: json}\nhttp: {trusted_proxies: [10.0.0.0/8]}\n"), 0o600))
	t.Setenv("ALLSPARK_LOG_LEVEL", "warn")
	t.Setenv("ALLSPARK_TOKEN", "not a setting")
	t.Setenv("ALLSPARK_DATA_DIR", "elsewhere")
	t.Setenv("ALLSPARK_DEMO_SEED", "7")
	c, err := load(t, "--config", path, "--log.format", "text", "--rate", "80")
	require.NoError(t, err)
	require.Equal(t, 9*time.Second, c.Lease.TTL)
	require.Equal(t, "warn", c.Log.Level)
	require.Equal(t, "text", c.Log.Format)
	require.Equal(t, 80, c.Demo.Rate)
	require.Equal(t, "elsewhere", c.DataDir)
	require.Equal(t, uint64(7), c.Demo.Seed)
	require.Equal(t, []string{"10.0.0.0/8"}, c.HTTP.TrustedProxies)
}

func TestMistakesNameTheKey(t *testing.T) {
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"--http.addr", "8080"}, `http.addr wants host:port, got "8080"`},
		{[]string{"--lease.ttl", "1ms"}, "lease.ttl wants 1s..1m0s, got 1ms"},
		{[]string{"--log.level", "loud"}, `log.level wants debug, info, warn or error, got "loud"`},
		{[]string{"--grpc.tls_cert", "x.pem"}, "grpc.tls_cert and grpc.tls_key go together"},
		{[]string{"--rate", "0"}, "demo.rate wants 1..1000 copies of the trace, got 0"},
		{[]string{"--speed", "-1"}, "demo.speed wants a factor in (0, 1000], got -1"},
		{[]string{"--data_dir", ""}, "data_dir wants a directory, got nothing"},
	} {
		_, err := load(t, x.args...)
		require.ErrorContains(t, err, x.want)
	}
}

func TestUnknownKeyInFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "allspark.yaml")
	require.NoError(t, os.WriteFile(path, []byte("lease: {tttl: 9s}\n"), 0o600))
	_, err := load(t, "--config", path)
	require.ErrorContains(t, err, "unknown key lease.tttl")
}

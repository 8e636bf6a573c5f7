package agent_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/allspark/allspark/agent"
	"github.com/allspark/allspark/agent/agenttest"
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

func TestAnAgentComesBackByItself(t *testing.T) {
	inBubble(t, agenttest.Options{OrderTTL: time.Minute}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Levels("recall", rows(10)...)
		v := b.SetLevel("*", "recall", 5)
		b.held(t, v)
		acks := len(b.Acks())
		for range 5 {
			b.Cut()
			require.NoError(t, b.WaitAgents(b.ctx, 0))
			require.Equal(t, int64(50), b.read("*"), "no request notices")
			require.NoError(t, b.WaitAgents(b.ctx, 1))
		}
		require.Equal(t, v, b.Hellos()[5].Held)
		time.Sleep(time.Second)
		require.Len(t, b.Acks(), acks, "a set that is held is not sent again")
		require.Equal(t, 1, b.Enrolments(), "nor does it enrol again")

		b.Down()
		time.Sleep(30 * time.Second)
		require.Equal(t, gear.RungLastGood, b.ag.Status().Rung)
		require.Contains(t, b.ag.Status().LastError, "took the controller down")
		require.Equal(t, int64(50), b.read("*"))
		time.Sleep(31 * time.Second)
		require.Equal(t, int64(77), b.read("*"), "the TTL ran out")
		require.Equal(t, gear.RungDefault, b.ag.Status().Rung)
		v = b.SetLevel("*", "recall", 8)
		b.Up()
		b.held(t, v)
		require.Equal(t, int64(80), b.read("*"), "straight to the newest")
	})
}

func TestReportsOfAnOutageAreBounded(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(1500 * time.Millisecond)
		b.Down()
		time.Sleep(10 * time.Minute)
		before := len(b.Reports())
		b.Up()
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(100 * time.Millisecond)
		kept := b.Reports()[before:]
		require.NotEmpty(t, kept)
		require.LessOrEqual(t, len(kept), 9)
		require.Greater(t, kept[0].Sequence, int64(500), "the newest are kept")
	})
}

func TestGoodbyeIsObeyed(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Goodbye("overloaded", 20*time.Second)
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		left := time.Now()
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		away := time.Since(left)
		require.GreaterOrEqual(t, away, 20*time.Second)
		require.Less(t, away, 31*time.Second)
	})
}

func TestCredentialsAreRenewedBeforeTheyEnd(t *testing.T) {
	inBubble(t, agenttest.Options{CredentialLife: 10 * time.Minute}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(35 * time.Minute)
		require.InDelta(t, 5, b.Enrolments(), 1, "at three quarters of each life")
		require.Len(t, b.Hellos(), 1, "on the same stream")
		b.Cut()
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		require.NoError(t, b.WaitAgents(b.ctx, 1))
	})
}

// TestCredentialsAreRenewedWhateverTheMachinesClockSays: its clock is behind or ahead
// by far more than a credential lives. The end is reference time.
func TestCredentialsAreRenewedWhateverTheMachinesClockSays(t *testing.T) {
	for _, skew := range []time.Duration{48 * time.Hour, -48 * time.Hour} {
		inBubble(t, agenttest.Options{CredentialLife: 10 * time.Minute, Skew: skew}, func(t *testing.T, b *bench) {
			require.NoError(t, b.WaitAgents(b.ctx, 1))
			time.Sleep(35 * time.Minute)
			require.InDelta(t, 5, b.Enrolments(), 2, skew)
			require.Len(t, b.Hellos(), 1, "on the same stream")
		})
	}
}

func TestAWrongTokenIsShownAndTriedAgain(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		cfg := b.cfg
		cfg.EnrolToken, cfg.DataDir = "wrong", ""
		ag := b.NewAgent(cfg)
		require.NoError(t, ag.Start(b.ctx))
		time.Sleep(time.Minute)
		require.Contains(t, ag.Status().LastError, "unknown enrolment token")
		require.False(t, ag.Status().Connected)
		require.NoError(t, ag.Close())
	})
}

func TestAnotherInstanceIdIsTakenOver(t *testing.T) {
	inBubble(t, agenttest.Options{Instance: "sn-1-second"}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		time.Sleep(time.Second)
		require.Equal(t, "sn-1-second", b.ag.Status().Instance)
		b.Cut()
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		require.Equal(t, "sn-1-second", b.Hellos()[1].Instance)
	})
}

// TestR13 (the agent's side): a controller that knows more words than this build.
func TestR13WordsOfANewerControllerAreIgnored(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Send(&agentv1.ConnectResponse{})      // a body of a later version decodes as none
		unknown := new(agentv1.ConnectResponse) // field 99, a string
		require.NoError(t, proto.Unmarshal([]byte{0x9a, 0x06, 2, 'h', 'i'}, unknown))
		b.Send(unknown)
		b.Send(&agentv1.ConnectResponse{Body: &agentv1.ConnectResponse_BaseQuota{BaseQuota: &agentv1.BaseQuota{Group: "later"}}})
		b.Levels("recall", rows(10)...)
		v := b.Publish(gear.Order{Scene: "*", Point: "recall", Bucket: "*", Strategy: "of_tomorrow", Level: 1, MinLevel: 1, MaxLevel: 1})
		ack, err := b.WaitAck(b.ctx, v)
		require.NoError(t, err)
		require.True(t, ack.Refused, "what cannot be obeyed is refused, not guessed")
		require.Contains(t, gear.Problems(ack.Problems).Error(), `strategy "of_tomorrow" is not known`)
		b.Publish()
		b.held(t, b.SetLevel("*", "recall", 3))
		require.Equal(t, int64(30), b.read("*"))
	})
}

func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(nil)
	srv.StartTLS() // for its certificate
	defer srv.Close()
	c := agenttest.NewController(agenttest.Options{TLS: &tls.Config{Certificates: srv.TLS.Certificates, MinVersion: tls.VersionTLS13}})
	defer c.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cfg := agent.Config{App: "sn", IDC: "et2", Address: "example.com:7600", Log: slog.New(slog.DiscardHandler)}
	cfg.TLS = &tls.Config{RootCAs: roots, ServerName: "example.com", MinVersion: tls.VersionTLS13}
	ag := c.NewAgent(cfg)
	require.NoError(t, ag.Start(ctx))
	defer ag.Close()
	require.NoError(t, c.WaitAgents(ctx, 1))

	cfg.TLS = &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "example.com", MinVersion: tls.VersionTLS13}
	stranger := c.NewAgent(cfg)
	require.NoError(t, stranger.Start(ctx))
	defer stranger.Close()
	require.Eventually(t, func() bool { return strings.Contains(stranger.Status().LastError, "certificate") }, 5*time.Second, 5*time.Millisecond)
}

func TestSeveralControllersAreTriedInTurn(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		other := agenttest.NewController(agenttest.Options{})
		defer other.Close()
		other.Down()
		cfg := b.cfg
		cfg.Address, cfg.DataDir, cfg.EnrolToken = "dead, alive", "", agenttest.Token
		ag := agent.New(cfg, agent.WithDialer(func(ctx context.Context, address string) (net.Conn, error) {
			if address == "alive" {
				return b.Dial(ctx, address)
			}
			return other.Dial(ctx, address)
		}))
		require.NoError(t, ag.Start(b.ctx))
		require.NoError(t, b.WaitAgents(b.ctx, 2))
		require.Equal(t, "alive", ag.Status().Controller)
		require.NoError(t, ag.Close())
	})
}

func TestASilentControllerIsLeft(t *testing.T) {
	inBubble(t, agenttest.Options{ClockInterval: 5 * time.Second}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Mute()
		time.Sleep(16 * time.Second)
		require.Contains(t, b.ag.Status().LastError, "silent")
		b.Unmute()
		time.Sleep(time.Minute)
		require.True(t, b.ag.Status().Connected)
	})
}

func TestUnreadableTextOfAControllerIsMadeInert(t *testing.T) {
	inBubble(t, agenttest.Options{}, func(t *testing.T, b *bench) {
		require.NoError(t, b.WaitAgents(b.ctx, 1))
		b.Goodbye("gone\nlevel=ERROR msg=\"forged\"", time.Second)
		require.NoError(t, b.WaitAgents(b.ctx, 0))
		time.Sleep(100 * time.Millisecond)
		require.False(t, strings.ContainsAny(b.ag.Status().LastError, "\n\r"))
		require.Contains(t, b.ag.Status().LastError, "forged")
	})
}

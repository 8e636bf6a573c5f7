package lease

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	t0 := time.Unix(1000, 0)
	const ttl = 6 * time.Second
	mine := Lease{Holder: "a", Epoch: 3}
	holding := term{held: true, lease: mine, deadline: t0.Add(ttl)}
	for name, x := range map[string]struct {
		was    term
		answer answer
		now    time.Time
		held   bool
		until  time.Time
		says   string
	}{
		"acquired: the deadline counts from when it was sent": {
			term{}, answer{sent: t0, lease: mine, ok: true}, t0.Add(time.Second), true, t0.Add(ttl), "held",
		},
		"renewed":        {holding, answer{sent: t0.Add(2 * time.Second), lease: mine, ok: true}, t0.Add(2 * time.Second), true, t0.Add(8 * time.Second), "held"},
		"taken over":     {holding, answer{sent: t0, lease: Lease{Holder: "b"}}, t0, false, time.Time{}, "held by b"},
		"store away":     {holding, answer{sent: t0, err: errors.New("x")}, t0.Add(ttl - 1), true, t0.Add(ttl), "does not answer"},
		"away too long":  {holding, answer{sent: t0, err: errors.New("x")}, t0.Add(ttl), false, time.Time{}, "not renewed in 6s"},
		"answer too old": {term{}, answer{sent: t0, lease: mine, ok: true}, t0.Add(ttl), false, time.Time{}, "took 6s to answer"},
		"skew":           {holding, answer{sent: t0, skew: 5*time.Second + 1, ok: true, lease: mine}, t0, false, time.Time{}, "from reference time"},
		"skew back":      {holding, answer{sent: t0, skew: -6 * time.Second, ok: true, lease: mine}, t0, false, time.Time{}, "from reference time"},
		"at the bound":   {holding, answer{sent: t0, skew: 5 * time.Second, ok: true, lease: mine}, t0, true, t0.Add(ttl), "held"},
		"away, no hold":  {term{}, answer{sent: t0, err: errors.New("x")}, t0, false, time.Time{}, "does not answer"},
	} {
		got, says := judge(x.was, x.answer, ttl, MaxSkew, x.now)
		require.Equal(t, x.held, got.held, name)
		require.Equal(t, x.until, got.deadline, name)
		require.Contains(t, says, x.says, name)
	}
}

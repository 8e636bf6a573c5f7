package fault

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
)

func TestTheCodeOfAnError(t *testing.T) {
	cause := errors.New("connection refused")
	away := Wrap(Unavailable, cause, "the database of %s is away", "sh")
	for name, x := range map[string]struct {
		err  error
		want Code
	}{
		"none":                  {nil, ""},
		"own":                   {New(Stale, "version 3 is newer"), Stale},
		"wrapped by others":     {fmt.Errorf("save: %w", away), Unavailable},
		"joined with others":    {errors.Join(cause, New(Frozen, "frozen")), Frozen},
		"of nobody is internal": {cause, Internal},
	} {
		require.Equal(t, x.want, CodeOf(x.err), name)
		require.Equal(t, x.err != nil, Is(x.err, x.want), name)
	}
	require.ErrorIs(t, away, cause)
	require.Equal(t, "the database of sh is away", away.Error(), "a cause is for logs: callers are not told")
}

func TestProblemsAreSaidWithTheMessage(t *testing.T) {
	var ps gear.Problems
	ps.Add("levels[2].recall", gear.CodeRange, "12 is over 10")
	err := WithProblems(ps, "template %s is not valid", "rank-depth")
	require.Equal(t, Invalid, err.Code)
	require.Contains(t, err.Error(), "template rank-depth is not valid: ")
	require.Contains(t, err.Error(), "levels[2].recall")
}

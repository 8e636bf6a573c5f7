package settings

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEveryValueOutOfItsRangeIsNamed(t *testing.T) {
	const day = 24 * time.Hour
	least := Settings{RetentionMinutes: time.Hour, RetentionHours: day, StaleAfter: time.Second, ForgetAfter: time.Minute}
	most := Settings{RetentionMinutes: 365 * day, RetentionHours: 5 * 365 * day, StaleAfter: time.Hour, ForgetAfter: 365 * day}
	require.Empty(t, least.Check())
	require.Empty(t, most.Check())

	for _, beyond := range []Settings{
		{},
		{RetentionMinutes: most.RetentionMinutes + 1, RetentionHours: most.RetentionHours + 1, StaleAfter: most.StaleAfter + 1, ForgetAfter: most.ForgetAfter + 1},
		{RetentionMinutes: -time.Hour, RetentionHours: day - 1, StaleAfter: time.Second - 1, ForgetAfter: time.Minute - 1},
	} {
		var paths []string
		for _, p := range beyond.Check() {
			paths = append(paths, p.Path)
			require.Contains(t, p.Message, p.Path)
		}
		require.Equal(t, []string{"retention_minutes", "retention_hours", "stale_after", "forget_after"}, paths)
	}
}

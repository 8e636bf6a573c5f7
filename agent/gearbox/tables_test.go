package gearbox_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/proto/gear"
)

// unlike gives tables that all differ.
func unlike(from, to int) (out []gear.LevelTable) {
	for i := from; i < to; i++ {
		out = append(out, tagTable(2, func(t *gear.LevelTable) { t.Work[0] = 1 / float64(i+2) }))
	}
	return out
}

// TestTheTableCacheIsBoundedAndKeepsWhatIsHeld: a set of a thousand tables is taken,
// kept on disk, and stays whatever comes after it.
func TestTheTableCacheIsBoundedAndKeepsWhatIsHeld(t *testing.T) {
	const held, bound = 1000, 2048
	b, tables := newBox(), unlike(0, held)
	require.Empty(t, b.AddTables(tables))
	var orders []gear.Order
	for i := range tables {
		orders = append(orders, order(fmt.Sprintf("s%d", i), "recall", "*", tables[i], 2))
	}
	b.Contact()
	ack := b.Apply(set(1, orders...))
	require.False(t, ack.Refused, ack.Problems)
	dir := t.TempDir()
	require.NoError(t, b.Persist(dir))
	again := newBox()
	require.NoError(t, again.Restore(dir))
	require.Len(t, again.Tables(), held)

	for i := held; i < 5000; i += 100 {
		b.AddTables(unlike(i, i+100))
		require.LessOrEqual(t, len(b.Tables()), bound)
	}
	for i := range tables {
		require.Contains(t, b.Tables(), tables[i].Hash)
	}
	require.False(t, b.Apply(set(2, orders...)).Refused)
}

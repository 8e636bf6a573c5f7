//go:build race

package servertest_test

// less is what the race detector's cost of five to ten times takes off numbers:
// it looks for unguarded words, for which a few hundred do as well.
const less = 5

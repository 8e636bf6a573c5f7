//go:build !race

package servertest_test

const less = 1

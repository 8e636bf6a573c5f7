//go:build !unix

package lab

import "time"

var begun = time.Now()

// usedCPU is the time since the program began, where the process's own is not to
// be had.
func usedCPU() time.Duration { return time.Since(begun) }

package meter

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
)

// Unknown is the CPU share of a machine that does not tell.
const Unknown = -1.0

// CPU reads the share of the machine's cores that are busy, 0..1, between one
// call and the next, from the kernel's counters. It is for one goroutine.
type CPU struct {
	// Path is the file to read; "/proc/stat" when empty.
	Path        string
	busy, total uint64
}

// Share gives the share since the last call, Unknown on the first call and
// wherever the kernel keeps no such counters.
func (c *CPU) Share() float64 {
	path := c.Path
	if path == "" {
		path = "/proc/stat"
	}
	f, err := os.Open(path) // #nosec G304 -- the kernel's file, or a test's
	if err != nil {
		return Unknown
	}
	defer f.Close()
	line, err := bufio.NewReaderSize(f, 512).ReadSlice('\n')
	if err != nil {
		return Unknown
	}
	busy, total, ok := parseStat(line)
	if !ok {
		return Unknown
	}
	dBusy, dTotal := busy-c.busy, total-c.total
	first := c.total == 0
	wentBack := busy < c.busy || total <= c.total
	c.busy, c.total = busy, total
	if first || wentBack {
		return Unknown
	}
	return min(float64(dBusy)/float64(dTotal), 1)
}

// parseStat reads "cpu user nice system idle iowait irq softirq steal …". Guest
// time is already within user time; waiting for a disk is idle.
func parseStat(line []byte) (busy, total uint64, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) < 5 || string(fields[0]) != "cpu" {
		return 0, 0, false
	}
	for i, f := range fields[1:min(len(fields), 9)] {
		v, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return 0, 0, false
		}
		total += v
		if i != 3 && i != 4 {
			busy += v
		}
	}
	return busy, total, true
}

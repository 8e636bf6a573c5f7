package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// parse reads the metrics of one benchmark from `go test -bench` output. The
// name must be there once: more would mean that the pattern was too wide.
func parse(out io.Reader, name string) (map[string]float64, error) {
	var found map[string]float64
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || trimProcs(fields[0]) != "Benchmark"+name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("benchmark %s ran twice", name)
		}
		found = map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("benchmark %s: %w", name, err)
			}
			found[fields[i+1]] = value
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("benchmark %s did not run", name)
	}
	return found, nil
}

// trimProcs takes the "-2" of GOMAXPROCS off a benchmark's name.
func trimProcs(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name
	}
	if _, err := strconv.Atoi(name[i+1:]); err != nil {
		return name
	}
	return name[:i]
}

// pattern selects exactly one benchmark.
func pattern(name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	for i, p := range parts {
		parts[i] = "^" + p + "$"
	}
	return strings.Join(parts, "/")
}

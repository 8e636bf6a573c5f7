package lab

import (
	"bufio"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed traces/*.csv.gz
var traceFiles embed.FS

// Trace is a recorded hour of requests.
type Trace struct {
	Name      string
	At        []int64 // since the first arrival, rising
	Context   []int32 // tokens of the question
	Generated []int32 // tokens of the answer
	// Span is how long the trace lasts before it repeats: up to the last
	// arrival and one mean gap, so that the seam has no double arrival.
	Span     int64
	MeanLoad float64
	// logMean and logSD standardise ln(load) for the correlation with value.
	logMean, logSD float64
}

// Load is the predicted load of the i-th request: all its tokens.
func (t *Trace) Load(i int) float64 { return float64(t.Context[i] + t.Generated[i]) }

// Rate is the trace's own requests a second.
func (t *Trace) Rate() float64 { return float64(len(t.At)) / (float64(t.Span) / 1e9) }

var (
	conversation = sync.OnceValue(func() *Trace { return mustLoad("conv") })
	code         = sync.OnceValue(func() *Trace { return mustLoad("code") })
)

// Conversation is the trace of a conversation service.
func Conversation() *Trace { return conversation() }

// Code is the trace of a coding service: bursts, and minutes without a request.
func Code() *Trace { return code() }

func mustLoad(name string) *Trace {
	f, err := traceFiles.Open("traces/azure_llm_" + name + "_2023.csv.gz")
	if err != nil {
		panic(err) // embedded: cannot be missing from a program that was built
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	t, err := ReadTrace(name, z)
	if err != nil {
		panic(err)
	}
	return t
}

const (
	traceHeader = "TIMESTAMP,ContextTokens,GeneratedTokens"
	traceTime   = "2006-01-02 15:04:05.9999999"
	maxTrace    = 10_000_000 // requests
)

// ReadTrace reads a trace in the published format: a header, then arrival time,
// context tokens and generated tokens, in order of arrival.
func ReadTrace(name string, r io.Reader) (*Trace, error) {
	t := &Trace{Name: name}
	in := bufio.NewScanner(r)
	var first time.Time
	for line := 1; in.Scan(); line++ {
		text := in.Text()
		if line == 1 {
			if text != traceHeader {
				return nil, fmt.Errorf("trace %s: line 1: want header %q", name, traceHeader)
			}
			continue
		}
		if line > maxTrace {
			return nil, fmt.Errorf("trace %s: more than %d requests", name, maxTrace)
		}
		at, context, generated, err := traceRow(text)
		if err != nil {
			return nil, fmt.Errorf("trace %s: line %d: %w", name, line, err)
		}
		if line == 2 {
			first = at
		}
		since := int64(at.Sub(first))
		if n := len(t.At); n > 0 && since < t.At[n-1] {
			return nil, fmt.Errorf("trace %s: line %d: arrives before the line above", name, line)
		}
		t.At = append(t.At, since)
		t.Context = append(t.Context, context)
		t.Generated = append(t.Generated, generated)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("trace %s: %w", name, err)
	}
	if len(t.At) < 2 || t.At[len(t.At)-1] == 0 {
		return nil, fmt.Errorf("trace %s: needs two requests at different times", name)
	}
	t.summarise()
	return t, nil
}

func traceRow(text string) (at time.Time, context, generated int32, err error) {
	stamp, rest, ok1 := strings.Cut(text, ",")
	a, b, ok2 := strings.Cut(rest, ",")
	if !ok1 || !ok2 {
		return at, 0, 0, fmt.Errorf("want three columns")
	}
	if at, err = time.Parse(traceTime, stamp); err != nil {
		return at, 0, 0, err
	}
	var n [2]int32
	for i, s := range [2]string{a, b} {
		v, err := strconv.ParseInt(s, 10, 32)
		if err != nil || v < 0 || v > 1e8 {
			return at, 0, 0, fmt.Errorf("want a number of tokens, got %q", s)
		}
		n[i] = int32(v)
	}
	return at, n[0], n[1], nil
}

// meanPower is the mean of relative load to a power.
func (t *Trace) meanPower(power float64) float64 {
	sum := 0.0
	for i := range t.At {
		sum += math.Pow(t.Load(i)/t.MeanLoad, power)
	}
	return sum / float64(len(t.At))
}

func (t *Trace) summarise() {
	n := len(t.At)
	last := t.At[n-1]
	t.Span = last + last/int64(n-1)
	var sum, logs, squares float64
	for i := range n {
		load := t.Load(i)
		l := math.Log(max(load, 1))
		sum += load
		logs += l
		squares += l * l
	}
	t.MeanLoad = sum / float64(n)
	t.logMean = logs / float64(n)
	t.logSD = math.Sqrt(max(squares/float64(n)-t.logMean*t.logMean, 1e-12))
}

package agentapi

import "time"

// bucket is a token bucket: rate tokens a second, at most burst. It is a value
// of 32 bytes, because every stream has one.
type bucket struct {
	tokens float64
	last   time.Time
}

// take uses one token. When there is none it takes it from the future and tells
// how long to wait for it, so that a patient caller is served in turn.
func (b *bucket) take(now time.Time, rate, burst float64) (wait time.Duration) {
	b.fill(now, rate, burst)
	b.tokens--
	if b.tokens >= 0 {
		return 0
	}
	return time.Duration(-b.tokens / rate * float64(time.Second))
}

// try uses one token if there is one; else it tells when there may be.
func (b *bucket) try(now time.Time, rate, burst float64) (ok bool, after time.Duration) {
	b.fill(now, rate, burst)
	if b.tokens >= 1 {
		b.tokens--
		return true, 0
	}
	return false, time.Duration((1 - b.tokens) / rate * float64(time.Second))
}

func (b *bucket) fill(now time.Time, rate, burst float64) {
	if b.last.IsZero() {
		b.tokens = burst
	} else if d := now.Sub(b.last); d > 0 {
		b.tokens = min(burst, b.tokens+d.Seconds()*rate)
	}
	b.last = now
}

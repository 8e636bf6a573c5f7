package agent

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

const (
	// bucketsEvery is how often divided traffic is reported: experiments last hours,
	// and a bucket's report is some six times a point's.
	bucketsEvery = 5 * time.Second
	// blockBytes is what a block takes at most in the usual report.
	blockBytes = 32
	// maxBuckets of one report: wire.MaxBuckets is more.
	maxBuckets = 64
)

// takeBuckets gives what was counted by bucket when it is time.
func (r *reporter) takeBuckets(last bool) []gear.BucketReport {
	now := time.Now()
	if !last && now.Sub(r.buckets) < bucketsEvery-bucketsEvery/10 {
		return nil
	}
	r.buckets = now
	all := r.agent.meter.DrainBuckets()
	r.agent.loops.ObserveBuckets(all)
	return all
}

package gear

import "time"

const (
	// Slices is how finely traffic is divided: a bucket "lo-hi" takes the requests
	// whose key hashes to lo <= slice < hi.
	Slices = 10_000
	// Blocks is how many groups of users of a bucket are told apart: slice s is in
	// block (s-lo)*Blocks/(hi-lo). Twenty are enough to tell how much groups differ
	// (a t interval of 38 degrees of freedom is 3 % wider than a normal one), and
	// few enough to report.
	Blocks = 20
)

// BucketReport is what happened in one bucket of one point and scene since the
// report before that told of it. The Count of all blocks is PointReport's Count.
type BucketReport struct {
	Bucket string
	PointReport
	Blocks [Blocks]BlockReport
}

// BlockReport is one group of a bucket's users.
type BlockReport struct {
	Count    int64
	Shed     int64 // of Count; they have no RT
	Timeouts int64
	RTSum    time.Duration
	Value    float64
}

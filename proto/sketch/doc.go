// Package sketch holds the distribution of response times: what an agent
// records on a request's path, sends once a second, and a controller adds up.
//
// # Shape
//
// Values are whole microseconds. Below 128 µs each value has a cell of its own;
// above, each octave [2^k, 2^(k+1)) is cut into 64 cells of equal width:
//
//	shift = bits.Len(v >> 7)        0 below 128, 1 for 128..255, …
//	index = v>>shift + 64*shift     64 cells an octave, no gap between octaves
//
// A quantile answers with the middle of the cell that holds the sample of rank
// ceil(q·n). Half a cell is at most 2^k/128, so the relative error against the
// exact sample is below 1/128 = 0.78 % everywhere, whatever the distribution.
// Values from 2^31 µs (36 minutes) up are counted in the last cell.
//
// # Memory
//
// A [Sketch] is a flat array of 1,664 atomic counters, 6.5 KiB: looking up an
// octave first would cost Record half as much again. An agent should make one
// when a point and scene see their first request, not before. A [Sum] allocates
// octaves as they come, 512 bytes each, and most hold six to ten.
//
// # Wire format
//
// An empty sketch is no bytes at all. Otherwise one format byte (1), then a
// block for each octave that holds something, in rising order. A block with few
// cells lists them, a byte each for counts up to 3; a block with many has a
// 64-bit map of the cells in use and a field of 4 or 8 bits for each count,
// whichever is shorter. Counts that do not fit follow as varints; see
// appendBlock. A cell counts up to 2^40.
//
// # When things fail
//
// Merge takes bytes from the network: what is not a sketch is refused with
// [ErrMalformed] and leaves the sum as it was. A cell of
// a [Sketch] wraps after 2^32 values without a Drain; at one drain a second that
// cannot happen.
//
// # Sources
//
// Log-linear cells: HdrHistogram (G. Tene) and circllhist (Hartmann,
// Schlossnagle, arXiv 2001.06561). Error bound compared with DDSketch (Masson,
// Rim, Lee, VLDB 2019), which the tests hold it against.
package sketch

package lab

import "math"

// mix is the finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection whose
// output passes the usual test batteries even on a counter.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio: splitmix64's increment

// draw gives the random word of entity b as seen by entity a.
func draw(a, b uint64) uint64 { return mix(a + mix(b+golden)) }

// Seed derives the seed of an entity from its name, so that adding an entity
// changes no other's stream.
func Seed(seed uint64, name ...string) uint64 {
	for _, n := range name {
		h := uint64(14695981039346656037) // FNV-1a
		for i := range len(n) {
			h = (h ^ uint64(n[i])) * 1099511628211
		}
		seed = draw(seed, h)
	}
	return mix(seed)
}

// unit maps a random word to [0, 1).
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// Stream is a splitmix64 generator.
type Stream struct{ state uint64 }

// NewStream starts the stream of a named entity.
func NewStream(seed uint64, name ...string) *Stream { return &Stream{Seed(seed, name...)} }

// Uint64 gives the next word.
func (s *Stream) Uint64() uint64 {
	s.state += golden
	return mix(s.state)
}

// Float64 gives the next number in [0, 1).
func (s *Stream) Float64() float64 { return unit(s.Uint64()) }

// Exp gives an exponential variate with mean 1.
func (s *Stream) Exp() float64 { return -math.Log1p(-s.Float64()) }

// normalCells is the resolution of the tables of quantiles: the middle of each
// cell stands for it, which cuts the tails at 3.7 standard deviations.
const normalCells = 4096

var normal = func() (t [normalCells]float64) {
	for i := range t {
		p := (float64(i) + 0.5) / normalCells
		t[i] = math.Sqrt2 * math.Erfinv(2*p-1)
	}
	return t
}()

// logNormal tabulates exp(sigma*z), scaled so that its mean is exactly 1.
func logNormal(sigma float64) *[normalCells]float64 {
	var t [normalCells]float64
	sum := 0.0
	for i, z := range normal {
		t[i] = math.Exp(sigma * z)
		sum += t[i]
	}
	for i := range t {
		t[i] *= normalCells / sum
	}
	return &t
}

// cell picks a table's cell by a random word.
func cell(x uint64) uint64 { return x >> 52 }

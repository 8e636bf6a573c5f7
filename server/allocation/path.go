package allocation

// path is the longest path of the block when point i takes ms[i].
func (b *block) path(ms []float64) float64 {
	t := 0.0
	switch b.kind {
	case leafBlock:
		return ms[b.point]
	case waitBlock:
		return b.network
	case seriesBlock:
		for _, k := range b.kids {
			t += k.path(ms)
		}
	case parallelBlock:
		for _, k := range b.kids {
			t = max(t, k.path(ms))
		}
	case callBlock:
		t = (b.kids[0].path(ms) + b.network) * float64(b.times)
	case primeBlock:
		ends := make([]float64, len(b.kids))
		done := make([]bool, len(b.kids))
		for range b.kids {
			for i, k := range b.kids {
				if done[i] || !ready(b.prime.before, done, i) {
					continue
				}
				for j := range b.kids {
					if b.prime.before[j][i] {
						ends[i] = max(ends[i], ends[j])
					}
				}
				ends[i] += k.path(ms)
				done[i] = true
				t = max(t, ends[i])
			}
		}
	}
	return t
}

func ready(before [][]bool, done []bool, i int) bool {
	for j := range before {
		if before[j][i] && !done[j] {
			return false
		}
	}
	return true
}

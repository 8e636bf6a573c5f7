package quota

// Weight clamps a user's value; what is no number counts as 1.
func Weight(value, lo, hi float64) float64 {
	switch {
	case value != value:
		return min(max(1, lo), hi)
	case value < lo:
		return lo
	case value > hi:
		return hi
	}
	return value
}

// Scale is what weights are multiplied by so that their mean over the group's
// recent requests is 1; 1 when nothing is known. It is bounded by the weights'
// own bounds, so that a burst of odd values cannot turn the group around.
func Scale(s *Settings, weights, requests float64) float64 {
	if !s.Normalise || !(requests > 0) || !(weights > 0) || !finite(weights/requests) {
		return 1
	}
	return 1 / min(max(weights/requests, s.WeightMin), s.WeightMax)
}

// Final is the quota of one request, before rounding.
func Final(s *Settings, base, scale, value, available float64) float64 {
	q := min(max(base*Weight(value, s.WeightMin, s.WeightMax)*scale, s.Min), s.Max)
	return min(q, max(available, 0))
}

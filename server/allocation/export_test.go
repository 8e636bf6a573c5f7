package allocation

// Pass is one max-plus pass, as Build makes several.
type Pass struct {
	in   *Input
	root *block
	p    *pass
}

// NewPass decomposes the graph and reads the profiles.
func NewPass(in *Input, span int) *Pass {
	root := in.decompose()
	return &Pass{in, root, in.newPass(in.links(root, maxFixed), span).at(len(quantiles)-1, in.figures())}
}

// Solve makes the pass, recovers the levels of every target, and gives the
// effects by budget.
func (x *Pass) Solve(levels []int) []float64 {
	x.p.prepare(0)
	s := x.p.solve(x.root, nil)
	for t := max(x.in.From, s.lo); t <= x.p.span; t++ {
		s.back.trace(x.p, 0, t, levels)
	}
	return s.v[0]
}

// Judge tells the true statistic of a vector.
func Judge(in *Input) func(levels []int) float64 {
	j := in.newJudge(in.decompose())
	return func(levels []int) float64 { return j.of(in.Flow(levels).Points) }
}

// Relax is the value of the linear relaxation for every budget.
func Relax(in *Input, span int) []float64 {
	root := in.decompose()
	return in.relax(root, in.figures(), span)
}

package allocation

// Difference is how one target's row differs between two tables.
type Difference struct {
	Target                 int
	EffectFrom, EffectTo   float64
	WorkFrom, WorkTo       float64
	Moves                  []Move
	ClampedFrom, ClampedTo bool // the target lies outside that table, which gave its nearest row
}

// Move is a point whose level differs; 0 where a table does not know the point.
type Move struct {
	Point    string
	From, To int
}

// Compare gives the targets of either table whose rows differ in a level, in
// being there, or by more than a millionth in effect.
func Compare(from, to *Table) []Difference {
	var out []Difference
	if len(from.Rows) == 0 || len(to.Rows) == 0 {
		return nil
	}
	for target := min(from.First, to.First); target <= max(from.To, to.To); target++ {
		a, ca := from.Row(target)
		b, cb := to.Row(target)
		d := Difference{Target: target, EffectFrom: a.Effect, EffectTo: b.Effect, WorkFrom: a.Work, WorkTo: b.Work, ClampedFrom: ca, ClampedTo: cb}
		for i, name := range from.Points {
			m := Move{Point: name, From: a.Points[i].Level}
			if k := to.Point(name); k != None {
				m.To = b.Points[k].Level
			}
			if m.From != m.To {
				d.Moves = append(d.Moves, m)
			}
		}
		for k, name := range to.Points {
			if from.Point(name) == None {
				d.Moves = append(d.Moves, Move{Point: name, To: b.Points[k].Level})
			}
		}
		if len(d.Moves) > 0 || ca != cb || apart(a.Effect, b.Effect) > 1e-6 {
			out = append(out, d)
		}
	}
	return out
}

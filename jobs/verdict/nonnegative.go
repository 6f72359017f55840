package verdict

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/mat"
)

// nonnegative returns the coefficients, none below zero, that minimise the squared error. With five of them it is exact to solve
// for each set of those that are not zero, 31 small systems, and to keep the best that is allowed. ok is false when none is.
func nonnegative(m *Weighted) (best Vector, ok bool) {
	least := math.Inf(1)
	for set := uint(1); set < 1<<features; set++ {
		c, solved := solve(m, members(set))
		if !solved {
			continue
		}
		if e := excess(m, c); e < least {
			best, least, ok = c, e, true
		}
	}
	return best, ok
}

// members lists the features in a set of bits.
func members(set uint) []int {
	all := make([]int, 0, bits.OnesCount(set))
	for i := range features {
		if set&(1<<i) != 0 {
			all = append(all, i)
		}
	}
	return all
}

// solve solves the normal equations of some features, columns scaled to unit length; false where they are singular or ask for a
// coefficient below zero.
func solve(m *Weighted, of []int) (c Vector, ok bool) {
	scale, gram := scaled(m, of)
	if scale == nil {
		return c, false
	}
	target := mat.NewVecDense(len(of), nil)
	for i, f := range of {
		target.SetVec(i, m.Target[f]/scale[i])
	}
	var chol mat.Cholesky
	var x mat.VecDense
	if !chol.Factorize(gram) || chol.SolveVecTo(&x, target) != nil {
		return c, false
	}
	for i, f := range of {
		if c[f] = x.AtVec(i) / scale[i]; c[f] < 0 {
			return c, false
		}
	}
	return c, true
}

// scaled is the Gram matrix of some features with ones on its diagonal, and the lengths it was divided by; nil when one is 0.
func scaled(m *Weighted, of []int) ([]float64, *mat.SymDense) {
	scale := make([]float64, len(of))
	for i, f := range of {
		if scale[i] = math.Sqrt(m.Gram[f][f]); scale[i] == 0 {
			return nil, nil
		}
	}
	gram := mat.NewSymDense(len(of), nil)
	for i, a := range of {
		for j, b := range of[:i+1] {
			gram.SetSym(i, j, m.Gram[a][b]/scale[i]/scale[j])
		}
	}
	return scale, gram
}

// squaredError is Σ weight · (time − predicted)².
func squaredError(m *Weighted, c Vector) float64 { return max(0, m.Square+excess(m, c)) }

// excess is the squared error less what it is without any coefficient.
func excess(m *Weighted, c Vector) (e float64) {
	for i := range features {
		e -= 2 * c[i] * m.Target[i]
		for j := range features {
			e += c[i] * c[j] * m.Gram[i][j]
		}
	}
	return e
}

package verdict

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Identity says how well the data tell the coefficients apart. Of a coefficient that is 0 the numbers are 0.
type Identity struct {
	Condition     float64 // of the Gram matrix with columns of unit length, its square root
	RelativeError Vector  // standard error ÷ coefficient
	Inflation     Vector  // variance inflation factor: 1 when no other feature moves with it
	Confused      [2]int  // the two features that move together most
}

// Beyond these a fit warns: what they are worth was measured on homogeneous traffic, where prompts of one length and answers of one
// length make the features proportional.
const (
	greatCondition = 40
	greatInflation = 100
	greatError     = 0.10
)

// leastShare of the time is what a coefficient must account for to be worth knowing.
const leastShare = 1e-3

// identify measures the features that account for some of the time.
func identify(m *Moments, c Vector, rmse float64) (id Identity) {
	var of []int
	for i := range features {
		if c[i]*m.Sum[i] > leastShare*m.Time {
			of = append(of, i)
		}
	}
	scale, gram := scaled(&m.Weighted, of)
	if scale == nil {
		return id
	}
	var chol mat.Cholesky
	if !chol.Factorize(gram) {
		id.Condition = math.MaxFloat64
		return id
	}
	id.Condition = math.Sqrt(chol.Cond())
	var inverse mat.SymDense
	if chol.InverseTo(&inverse) != nil {
		return id
	}
	for i, f := range of {
		id.Inflation[f] = inverse.At(i, i)
		id.RelativeError[f] = rmse * math.Sqrt(inverse.At(i, i)) / scale[i] / c[f]
	}
	id.Confused = closest(gram, of)
	return id
}

// closest are the two features with the greatest cosine.
func closest(gram *mat.SymDense, of []int) (pair [2]int) {
	greatest := -1.0
	for i := range of {
		for j := range i {
			if v := gram.At(i, j); v > greatest {
				greatest, pair = v, [2]int{of[j], of[i]}
			}
		}
	}
	return pair
}

// warnings are words for what is not well known.
func (id *Identity) warnings() (w []string) {
	if id.weak() {
		w = append(w, fmt.Sprintf("weak_identification: %s and %s move together", FeatureNames[id.Confused[0]], FeatureNames[id.Confused[1]]))
	}
	if id.RelativeError[PromptContext] > 0.25 {
		w = append(w, "cached_not_identified: the cost of reading cached tokens is not known")
	}
	return w
}

func (id *Identity) weak() bool {
	for i := range features {
		if id.Inflation[i] > greatInflation || id.RelativeError[i] > greatError {
			return true
		}
	}
	return id.Condition > greatCondition
}

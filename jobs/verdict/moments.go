package verdict

// The features of a forward pass: the pass itself, prompt tokens computed, their context Σ p·(c + p/2), tokens decoded, and
// tokens of KV cache read for them. A pass takes Time = Σ coefficient · feature.
const (
	Pass = iota
	PromptTokens
	PromptContext
	DecodeTokens
	KVTokens
	features
)

// FeatureNames are the features as warnings name them.
var FeatureNames = [features]string{"pass", "prompt tokens", "prompt context", "decoded tokens", "KV tokens read"}

// Vector has a number for each feature.
type Vector [features]float64

// Moments are the sums over runs of passes of one block of time on one instance, each weighted by passes ÷ time²: so weighted,
// the error that is minimised is relative to the time of a pass.
type Moments struct {
	Runs, Passes int64
	Gram         [features]Vector // Σ weight · feature · feature
	Target       Vector           // Σ weight · feature · time
	Square       float64          // Σ weight · time² = passes
	Sum          Vector           // Σ feature
	Time         float64          // Σ time, ns
}

// add sums o at a speed: o's times are divided by it.
func (m *Moments) add(o *Moments, speed float64) {
	m.Runs += o.Runs
	m.Passes += o.Passes
	for i := range features {
		for j := range features {
			m.Gram[i][j] += o.Gram[i][j] * speed * speed
		}
		m.Target[i] += o.Target[i] * speed
		m.Sum[i] += o.Sum[i]
	}
	m.Square += o.Square
	m.Time += o.Time / speed
}

// predicted is the time that coefficients give the block.
func (m *Moments) predicted(c Vector) (t float64) {
	for i := range features {
		t += c[i] * m.Sum[i]
	}
	return t
}

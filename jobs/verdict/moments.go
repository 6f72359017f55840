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
	Engine       int64 // number of the engine; its blocks lie behind each other
	Runs, Passes int64
	Weighted
	Once Weighted // the same with weights ÷ passes; 0 where the noise of a time is not that of its passes
	Sum  Vector   // Σ feature
	Time float64  // Σ time, ns
}

// Weighted are sums for least squares.
type Weighted struct {
	Gram   [features]Vector // Σ weight · feature · feature
	Target Vector           // Σ weight · feature · time
	Square float64          // Σ weight · time²
}

// add sums o at a speed: o's times are divided by it.
func (m *Moments) add(o *Moments, speed float64) {
	m.Runs += o.Runs
	m.Passes += o.Passes
	m.Weighted.add(&o.Weighted, speed*speed, speed, 1)
	m.Once.add(&o.Once, speed*speed, speed, 1)
	for i := range features {
		m.Sum[i] += o.Sum[i]
	}
	m.Time += o.Time / speed
}

// add sums o, each kind of sum times a factor.
func (w *Weighted) add(o *Weighted, gram, target, square float64) {
	for i := range features {
		for j := range features {
			w.Gram[i][j] += gram * o.Gram[i][j]
		}
		w.Target[i] += target * o.Target[i]
	}
	w.Square += square * o.Square
}

// unbiased takes out what weights made of noisy times do: of T = m·(1 + ε), with a variance σ² of a pass and σ²/n of n of them, 1/T² is
// too great by 3σ²/n and 1/T by σ²/n, so that all coefficients would come out too small, those of short runs most.
func (m *Moments) unbiased(variance float64) *Weighted {
	w := m.Weighted
	w.add(&m.Once, -3*variance, -variance, 0)
	return &w
}

// variance is that of a pass, relative to its time, around what coefficients predict.
func (m *Moments) variance(c Vector) float64 {
	if m.Once.Square > 0 {
		return squaredError(&m.Weighted, c) / m.Once.Square
	}
	return squaredError(&m.Weighted, c) / max(1, m.Square)
}

// predicted is the time that coefficients give the block.
func (m *Moments) predicted(c Vector) (t float64) {
	for i := range features {
		t += c[i] * m.Sum[i]
	}
	return t
}

package stepmodel

// Profile holds the constants of one model on one kind of GPU. Pre, Post and A are in µs; the coefficients of
// tokens and sequences are in picoseconds, so that a pass is summed in whole numbers.
type Profile struct {
	Name string

	Pre  int64 // µs from arrival to the queue: HTTP and tokenizer
	Post int64 // µs from the last token to the end of the answer
	A    int64 // µs of every pass
	B    int64 // ps a prompt token
	N    int64 // ps a token decoded, drafts included
	D    int64 // ps a token of context of a decoding sequence
	E    int64 // ps a squared token of prompt attention; used only with Config.Quadratic

	KVTokens         int64 // tokens that the KV cache holds
	MaxSequences     int64 // sequences running at once
	MaxBatchedTokens int64 // tokens of one pass
	BlockTokens      int64 // tokens of a KV block

	GPUType        string
	GPUs           int64
	TensorParallel int64
	Model          string
}

// DefaultProfile names the profile that was fitted to measurements: one H100, Llama-3.1-8B, vLLM, as the public
// inference-perf runs saw it. The others are assembled from published parts and not checked.
const DefaultProfile = "h100-llama3-8b-tp1"

// Profiles returns the profiles known. E is 4·layers·width/(FLOPS·0.5), after equation 1 of Mooncake (FAST'25).
func Profiles() []Profile {
	return []Profile{
		{Name: DefaultProfile, Pre: 15_600, Post: 777, A: 7_000, B: 27_000_000, N: 0, D: 40_000, E: 1_060,
			KVTokens: 467_280, MaxSequences: 128, MaxBatchedTokens: 8192, BlockTokens: 16,
			GPUType: "H100", GPUs: 1, TensorParallel: 1, Model: "llama-3-8b"},
		{Name: "a100-llama3-8b-tp1", Pre: 15_600, Post: 777, A: 11_000, B: 72_000_000, N: 0, D: 64_000, E: 3_361,
			KVTokens: 467_280, MaxSequences: 256, MaxBatchedTokens: 2048, BlockTokens: 16,
			GPUType: "A100-80GB", GPUs: 1, TensorParallel: 1, Model: "llama-3-8b"},
		{Name: "h100-llama3-70b-tp4", Pre: 15_600, Post: 777, A: 18_000, B: 76_000_000, N: 20_000_000, D: 24_500, E: 1_325,
			KVTokens: 486_800, MaxSequences: 256, MaxBatchedTokens: 2048, BlockTokens: 16,
			GPUType: "H100", GPUs: 4, TensorParallel: 4, Model: "llama-3-70b"},
		{Name: "a100-llama3-70b-tp4", Pre: 15_600, Post: 777, A: 29_000, B: 190_000_000, N: 40_000_000, D: 40_000, E: 4_201,
			KVTokens: 486_800, MaxSequences: 256, MaxBatchedTokens: 2048, BlockTokens: 16,
			GPUType: "A100-80GB", GPUs: 4, TensorParallel: 4, Model: "llama-3-70b"},
	}
}

// ProfileNamed returns the profile of that name; "" is the default.
func ProfileNamed(name string) (Profile, bool) {
	if name == "" {
		name = DefaultProfile
	}
	for _, p := range Profiles() {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

const picosPerMicro = 1_000_000

// passMicros is the time of a pass, rounded to the nearest µs, half up.
func (p *Profile) passMicros(c *Counts) int64 {
	ps := p.B*c.PrefillTokens + p.E*c.PrefillContextTwice + p.N*c.DecodeTokens + p.D*c.KVTokensRead
	return p.A + (ps+picosPerMicro/2)/picosPerMicro
}

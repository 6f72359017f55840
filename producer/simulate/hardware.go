package simulate

import "github.com/inferlake/inferlake/producer/stepmodel"

// board is what a type of GPU can do.
type board struct {
	idleWatts, maxWatts int64
	memoryMiB           int64
	clockMHz, memoryMHz int64
}

func boardOf(gpuType string) board {
	if gpuType == "H100" {
		return board{idleWatts: 75, maxWatts: 700, memoryMiB: 81_559, clockMHz: 1980, memoryMHz: 2619}
	}
	return board{idleWatts: 60, maxWatts: 400, memoryMiB: 81_920, clockMHz: 1410, memoryMHz: 1593}
}

// model is what moving a model and its tokens costs. KV bytes are 2 (K and V) · layers · KV heads · 128 · 2; a token's
// all-reduces move 2 · layers · width · 2 bytes, times 2(n−1)/n on each of n GPUs.
type model struct{ weights, kv, reduce int64 }

var (
	small = model{weights: 16_060_000_000, kv: 131_072, reduce: 524_288}    // 32 layers, width 4096
	large = model{weights: 141_100_000_000, kv: 327_680, reduce: 2_621_440} // 80 layers, width 8192
)

func modelOf(p *stepmodel.Profile) model {
	if p.Model == "llama-3-70b" {
		return large
	}
	return small
}

// kvBytes is the bytes of a token in the KV cache.
func kvBytes(p *stepmodel.Profile) int64 { return modelOf(p).kv }

// linkBytes is what a GPU sends its peers for a token.
func linkBytes(p *stepmodel.Profile) int64 {
	return modelOf(p).reduce * 2 * (p.GPUs - 1) / max(1, p.GPUs)
}

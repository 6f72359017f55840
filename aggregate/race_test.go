//go:build race

package aggregate

// slowdown is about how much longer the race detector lets everything take.
const slowdown = 5

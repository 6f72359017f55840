//go:build !race

package aggregate

const slowdown = 1

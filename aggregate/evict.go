package aggregate

import (
	"cmp"
	"slices"
)

// evict keeps a map within a limit: when it is over, a tenth of the limit goes at once, oldest first, so that a flood of
// new keys costs little each. age orders the entries; it must be a function of the log and tell all apart. It returns
// what went.
func evict[K comparable, V any](m map[K]V, limit int, age func(K, V) (int64, string)) (gone []V) {
	if len(m) <= limit {
		return nil
	}
	type entry struct {
		key  K
		at   int64
		name string
	}
	entries := make([]entry, 0, len(m))
	for k, v := range m {
		at, name := age(k, v)
		entries = append(entries, entry{k, at, name})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.name, b.name)) })
	for _, e := range entries[:len(m)-limit+limit/10] {
		gone = append(gone, m[e.key])
		delete(m, e.key)
	}
	return gone
}

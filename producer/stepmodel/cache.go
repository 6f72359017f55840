package stepmodel

import "math"

// InfiniteBlocks is a cache that never evicts.
const InfiniteBlocks = math.MaxInt64

// PrefixCache remembers blocks of prompts, the least recently used leave first. It can be run alone, in order of
// arrival, to study a trace; the model runs one in each replica in order of admission.
type PrefixCache struct {
	Evictions int64

	capacity int64
	limit    int64 // for now, at most the capacity
	block    int64 // tokens of a block, as requests name them
	at       map[uint64]int32
	spare    []int32     // nodes of no block
	nodes    []cacheNode // nodes[0] is the ring's head: next is the most recent, prev the least
}

type cacheNode struct {
	block      uint64
	prev, next int32
}

// NewPrefixCache makes a cache of that many blocks, at least one.
func NewPrefixCache(blocks int64) *PrefixCache {
	return &PrefixCache{capacity: max(1, blocks), limit: max(1, blocks), at: map[uint64]int32{}, nodes: make([]cacheNode, 1)}
}

// Use looks a prompt up and keeps its blocks: it returns how many leading blocks were there, then every block
// becomes the most recent in turn, evicting as it goes.
func (c *PrefixCache) Use(blocks []uint64) (hits int) {
	for hits < len(blocks) {
		if _, ok := c.at[blocks[hits]]; !ok {
			break
		}
		hits++
	}
	for _, b := range blocks {
		c.touch(b)
	}
	return hits
}

func (c *PrefixCache) touch(block uint64) {
	if c.capacity == InfiniteBlocks {
		c.at[block] = 0
		return
	}
	if i, ok := c.at[block]; ok {
		c.unlink(i)
		c.link(i)
		return
	}
	if c.limit == 0 {
		return
	}
	i := c.room()
	c.nodes[i].block = block
	c.at[block] = i
	c.link(i)
}

// room returns a node that is free: a new one, or that of the block evicted.
func (c *PrefixCache) room() int32 {
	if int64(len(c.at)) < c.limit {
		if n := len(c.spare); n > 0 {
			i := c.spare[n-1]
			c.spare = c.spare[:n-1]
			return i
		}
		c.nodes = append(c.nodes, cacheNode{})
		return int32(len(c.nodes) - 1)
	}
	return c.evict()
}

// evict forgets the block that was used least recently and returns its node.
func (c *PrefixCache) evict() int32 {
	i := c.nodes[0].prev
	c.unlink(i)
	delete(c.at, c.nodes[i].block)
	c.Evictions++
	return i
}

// Shrink sets how many blocks there is room for, at most the capacity, and evicts what is beyond. It may grow again.
func (c *PrefixCache) Shrink(blocks int64) {
	c.limit = max(0, min(blocks, c.capacity))
	for int64(len(c.at)) > c.limit {
		c.spare = append(c.spare, c.evict())
	}
}

// Len is the number of blocks kept.
func (c *PrefixCache) Len() int64 { return int64(len(c.at)) }

func (c *PrefixCache) link(i int32) {
	next := c.nodes[0].next
	c.nodes[i].prev, c.nodes[i].next = 0, next
	c.nodes[next].prev = i
	c.nodes[0].next = i
}

func (c *PrefixCache) unlink(i int32) {
	n := c.nodes[i]
	c.nodes[n.prev].next = n.next
	c.nodes[n.next].prev = n.prev
}

// CachedTokens is how much of a prompt the leading blocks found spare: whole blocks, and at least one token is
// always computed.
func CachedTokens(hits, prompt, blockTokens int64) int64 {
	if blockTokens <= 0 || prompt <= 0 {
		return 0
	}
	return min(hits, (prompt-1)/blockTokens) * blockTokens
}

// Package peers reads topics as other programs would, for benchmarks to compare with. The product uses none of it.
package peers

import "context"

// Topic is a part of a topic: by partition, where it begins and where it ends.
type Topic struct {
	Brokers []string
	Name    string
	From    map[int32]int64
	To      map[int32]int64
}

// Peer reads a part of a topic to its end and says how many records that were.
type Peer struct {
	Name string
	Read func(context.Context, Topic) (records int64, err error)
}

// All are the peers that are built in.
func All() []Peer { return append([]Peer{{"franz-go alone", franz}}, others()...) }

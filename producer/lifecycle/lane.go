package lifecycle

import (
	"hash/fnv"

	"github.com/inferlake/inferlake/stream"
)

// The lanes of a producer: requests are spread over the first ones by their id, every other subject has its own.
const (
	RequestLanes = 4

	LaneEngines = 4 // engine samples and runs of passes
	LaneGPUs    = 5 // GPU samples
	LaneInfra   = 6 // what instances say of themselves

	lanes = 7
)

// RequestLane is the lane of a request.
func RequestLane(id string) int64 {
	h := fnv.New32a()
	h.Write([]byte(id))
	return int64(h.Sum32() % RequestLanes)
}

// Topic is where an event belongs: that of its lane, so that a heartbeat travels with what it vouches for.
func Topic(e *stream.Event) string {
	switch lane := e.Num(stream.EventLane); {
	case lane < RequestLanes:
		return stream.TopicRequests
	case lane == LaneEngines:
		return stream.TopicEngines
	case lane == LaneGPUs:
		return stream.TopicGPUs
	}
	return stream.TopicInfra
}

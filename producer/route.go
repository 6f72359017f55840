package producer

import (
	"strconv"

	"github.com/inferlake/inferlake/stream"
)

// topicOf is where an event goes. An instance event that speaks of a lane, as heartbeats do, goes with the requests.
func topicOf(e *stream.Event) string {
	switch e.Kind {
	case stream.KindRequest:
		return stream.TopicRequests
	case stream.KindEngine, stream.KindStep:
		return stream.TopicEngines
	case stream.KindGPU, stream.KindFault:
		return stream.TopicGPUs
	case stream.KindInstance:
		if stream.Lifecycle(e.Num(stream.InstanceState)) == stream.StateHeartbeat || e.Has(stream.InstanceLastSeq) {
			return stream.TopicRequests
		}
	}
	return stream.TopicInfra
}

// keyOf is a lane's record key: all its records meet in one partition.
func keyOf(producer string, lane int64) []byte {
	return strconv.AppendInt(append([]byte(producer), '/'), lane, 10)
}

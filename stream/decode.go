package stream

// Content types of a record's value.
const (
	ContentProtobuf = "application/x-protobuf"
	ContentColumns  = "application/vnd.inferlake.columns"
	ContentJSON     = "application/json"
	ContentNDJSON   = "application/x-ndjson"
)

// Topics of the contract. Any kind of event is read from any of them; these are where the product's own producers write.
const (
	TopicRequests = "inferlake.requests"
	TopicEngines  = "inferlake.engines"
	TopicGPUs     = "inferlake.gpus"
	TopicInfra    = "inferlake.infra"
)

// Topics lists them.
var Topics = []string{TopicRequests, TopicEngines, TopicGPUs, TopicInfra}

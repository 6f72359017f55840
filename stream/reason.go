package stream

// Reason is why an event or a record was refused; "" is accepted.
type Reason string

// The reasons for a dead letter.
const (
	Accepted         Reason = ""
	ReasonEmpty      Reason = "empty"             // no value
	ReasonTooLarge   Reason = "too_large"         // above a size limit
	ReasonTooDeep    Reason = "too_deep"          // nested beyond the limit
	ReasonMalformed  Reason = "malformed"         // does not parse
	ReasonEncoding   Reason = "unknown_encoding"  // content-type not known
	ReasonVersion    Reason = "schema_version"    // a version this program does not read
	ReasonNoBody     Reason = "no_body"           // an envelope without a body
	ReasonBadText    Reason = "bad_text"          // invalid UTF-8, or too long
	ReasonRange      Reason = "out_of_range"      // negative, NaN, infinite or impossible number
	ReasonEnum       Reason = "unknown_value"     // an enum value not known
	ReasonNoTime     Reason = "no_time"           // neither event time nor marks
	ReasonNoInstance Reason = "no_instance"       // nobody to book on
	ReasonPhase      Reason = "no_phase"          // a request event without phase
	ReasonUnkeyed    Reason = "unkeyed_partial"   // a partial record without a key
	ReasonNoSubject  Reason = "no_subject"        // a sample of nothing: no GPU, node or pod named
	ReasonAuthority  Reason = "not_authoritative" // another source speaks for the instance, by configuration
	ReasonCrashed    Reason = "crashed"           // killed the process three times
)

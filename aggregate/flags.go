package aggregate

// Flags are the oddities of a request, a bit each. The order is part of the stored format: add at the end.
type Flags int64

// The flags.
const (
	FlagConflict         Flags = 1 << iota // two sources of one rank described it differently
	FlagOutcomeConflict                    // two endings were told
	FlagClock                              // an event's time was ahead of the log and was replaced by the log clock
	FlagDerivedReceived                    // received is finished − e2e
	FlagNegativeDuration                   // two marks are in the wrong order: the duration is NULL
	FlagCachedOverPrompt                   // more cached than prompt tokens were said
	FlagFewerThanSeen                      // finished counted fewer tokens (output, drafted, accepted, prefilled) than were seen on the way
	FlagSpan                               // longer than the longest life allowed: booked at its end, durations NULL
	FlagAmbiguousID                        // its id was in use by another request at the same time
	FlagExpired                            // closed for silence
	FlagEvicted                            // closed for want of room
	FlagLogGap                             // the log lost records while it was open
	FlagNoConvention                       // cached tokens without a token convention: inclusive was taken
	FlagUnderflow                          // exclusive counts that could not be added up
	FlagRestarted                          // closed because its instance started again
)

// FlagNames are the flags' names in SQL, by bit.
var FlagNames = []string{"conflict", "outcome_conflict", "clock", "derived_received", "negative_duration", "cached_over_prompt",
	"fewer_than_seen", "span", "ambiguous_id", "expired", "evicted", "log_gap", "no_convention", "underflow", "restarted"}

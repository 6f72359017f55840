package aggregate

import "github.com/inferlake/inferlake/stream"

// identity is what makes a request this one and no other, beside its life.
type identity struct {
	producer, boot, source, instance, requestID string
	dpIndex, attempt, choice, ordinal           int64
	role                                        stream.Role
	life                                        int64
}

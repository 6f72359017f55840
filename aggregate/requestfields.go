package aggregate

import "github.com/inferlake/inferlake/stream"

const (
	requestTexts = 12
	requestMarks = 9
)

// progressFields are told on the way, and the end has the last word about them. progressSeen has their order.
var progressFields = [...]stream.Field{stream.RequestDraftedTokens, stream.RequestAcceptedTokens, stream.RequestPrefilledTokens}

// textSlot and markIndex are the places of a request's texts and marks, by index from requestFirst.
var textSlot, markIndex = requestLayout()

func requestLayout() (texts, marks [requestFields]uint8) {
	var t, m uint8
	for i := range requestFields {
		info := &stream.Fields[requestFirst+stream.Field(i)]
		if info.Type == stream.Text {
			texts[i] = t
			t++
		}
		if info.Merge == stream.FirstMark || info.Merge == stream.LastMark {
			marks[i] = m
			m++
		}
	}
	return texts, marks
}

// requestBit is the first presence bit of a request's fields in an event: those of the envelope come before it.
const requestBit = int(stream.RequestRequestID)

// progress has a number for each of progressFields.
type progress [len(progressFields)]int64

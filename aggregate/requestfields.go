package aggregate

import "github.com/inferlake/inferlake/stream"

const (
	requestTexts = 16
	requestMarks = 10
)

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

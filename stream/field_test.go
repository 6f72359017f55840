package stream

import "testing"

// The layout must fit the fixed arrays of Event.
func TestPlacesFit(t *testing.T) {
	limits := map[Type]int{Text: maxTexts, Ints: maxLists, Texts: maxLists}
	for f := range Fields {
		limit, list := limits[Fields[f].Type]
		if !list {
			limit = maxNums
		}
		if int(places[f].slot) >= limit || places[f].bit >= 128 {
			t.Errorf("field %s of message %d does not fit: slot %d of %d, bit %d", Fields[f].Name, Fields[f].Message, places[f].slot, limit, places[f].bit)
		}
	}
}

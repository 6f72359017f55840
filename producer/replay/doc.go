// Package replay plays recorded traffic again as events: public traces, whose requests run through package
// stepmodel, and benchmark results, whose measured latencies go through as they are.
//
// There are four nouns. A Format reads one kind of file into Rows, a Row being one request as the file tells it.
// Options say how to play; a Summary says what came of it.
//
// Invariants:
//
//	R1  Same file, same Options: the same events, to the byte, with the same (producer, boot, lane, seq).
//	R2  Events come in order of time, as a log would have them.
//	R3  With MaxRows the rows played give the same events with the same numbers as in a replay of the whole file:
//	    later rows still run through the model until the last row asked for has finished, since they share its
//	    batches, and their numbers are left free. Lanes of such a run have gaps at the end, which a later whole
//	    replay fills; its closing event carries no number.
//
// A number counts the events of its lane in order of time. It is a function of (row, phase) alone, because the whole
// sequence is.
package replay

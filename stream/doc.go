// Package stream is the ground floor: what is said on the wire, and the loop that reads it. It knows no Kafka and
// no database. There are few nouns:
//
//   - Field names one field of the contract; Fields describes them all, and every codec is driven by that table.
//   - Event is one event in memory: a body's fields with the envelope's, each present or absent.
//   - Record is one record of a log, as bytes with a content type.
//   - Decoder turns records into events and says why the others were refused.
//   - Log reads one partition, Fold turns its events into rows, Sink keeps rows and position together.
//   - Batch is what goes from Fold to Sink, with the Ledger of the decisions that the log alone does not determine.
//
// The contract in words, with an example producer: docs/events.md. Its published form: proto/inferlake/v1/events.proto,
// and as generated Go in stream/inferlakev1.
//
// What the codecs keep to:
//
//	C1  Allow-list: only fields of the table are ever kept; anything else is skipped unread.
//	C2  Nothing panics, and nothing allocates more than a small multiple of the bytes that came in.
//	C3  One bad event costs that event: its neighbours in the record are read, where the syntax allows going on.
//	C4  The outcome depends on the record alone: the same bytes give the same events and the same refusals.
package stream

// Package kafka puts the log of package stream on Kafka. There are five nouns:
//
//   - Config says how to reach the brokers: addresses, TLS, SASL.
//   - Reader is a stream.Log of one partition, with a client of its own and no consumer group.
//   - Writer sends records: idempotent, acknowledged by all replicas, keyed onto a partition count that is fixed
//     when the writer starts.
//   - Admin creates the topics, tells offsets and lag, and leaves offsets in a group for other tools to look at.
//   - Message is what a Writer sends.
//
// Where the product goes on after a restart is decided by the warehouse, never by a group's offsets.
package kafka

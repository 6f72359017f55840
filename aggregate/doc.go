// Package aggregate is the fold: it turns the events of one partition into rows, exactly once.
//
// Its nouns:
//
//   - Fold: one partition's fold, a function of the log and the ledger alone. All that it may look at is one state.
//   - Request: one request's partial records merged; every rule is a join, so order and repeats do not matter.
//   - Measure, Distribution: what a request contributes to windows, each booked at its moment or spread back over the
//     time in which it happened.
//   - Series: one source's gauges and counters.
//   - Table: the columns of what the fold writes; the one place that columns, Arrow schema and documentation derive from.
//   - Delta: what a batch adds to the tables, as Arrow batches.
//   - Rules: the parameters of the fold; they change only at a snapshot.
//
// docs/fold.md says what must hold to change any of it.
package aggregate

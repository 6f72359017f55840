// Package jobs says when reports are made, and makes each once.
//
//   - Period: a day, week or month as the clocks of a time zone show it: a span of time that ends where the next begins.
//   - Job: what to make of every period, and a schedule in cron's words that says when it is due.
//   - Runner: makes what is due once the period is complete: it seals the period, draws the reports as of the seal, holds
//     statements to their balance, hands the files to the deliveries, and keeps the history in the warehouse.
//   - Delivery: where files go. Files is a tree of folders in which a period's files appear all at once.
//   - House: the warehouse, as jobs need it.
//
// What runs is decided by what is in the history, and never by a timer: a process that was down, or was killed at any
// moment, goes on where the history ends. Schedules are read by the parser of robfig/cron, on clocks without jumps; where
// the clocks of a zone jump is decided here (see instant).
package jobs

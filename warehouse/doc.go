// Package warehouse keeps the rows of the fold in DuckDB.
//
//   - Warehouse: one database file and the folder of states beside it. One process has it open, which a lock file holds
//     to; inside, one writer goroutine makes every change.
//   - Lease: the right to fold a partition, known by its generation. Acquire raises the generation, so older owners are
//     refused from then on.
//   - Commit: one transaction with its number. It takes the batches of all partitions that wait, each whole or not at
//     all, with their ledgers and positions. Every row carries the number of its commit.
//   - State: a snapshot of a partition's fold, a file named after its hash; the transaction that sets the replay offset
//     names it. Two are kept.
//   - Level: rows of windows of 10 s are summed to 60 s, 900 s and a day by commit number, so late rows follow by
//     themselves.
//   - Keep: how long rows are kept. Retain removes what is older, in one commit that notes what went.
//   - Check: one invariant, one file in sql/verify.
//
// Nothing may open the database file while a Warehouse has it open, not even to read it: closing any other handle in this
// process gives up the lock that DuckDB holds on the file.
package warehouse

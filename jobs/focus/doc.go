// Package focus checks files of cost rows against FOCUS 1.2 with the split cost allocation of 1.3.
//
//   - Column: one of FOCUS, with what its values must be; Columns is the table of those that we write.
//   - Rule: what must hold of a file; Rules is the table of all.
//   - Refusal: a rule that does not hold, with the row, the column and the value.
//
// A file is CSV with a line of names. An origin row is a charge; rows of the same x_OriginId that have an AllocatedMethodId split it.
package focus

// Package verdict draws conclusions from what the warehouse holds: fits today, comparisons and forecasts to come. It reads and
// writes through a Store and knows no database.
//
//   - Moments: what a least-squares fit needs of a block of forward passes, summed.
//   - PassFit: how long a forward pass takes by what is in it, with how well that is known.
package verdict

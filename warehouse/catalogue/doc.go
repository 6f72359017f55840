// Package catalogue reads what providers and people write about prices.
//
//   - Price: what a GPU-hour costs, for which instances, from when to when.
//   - APIPrice: what an API asks for a million tokens of a model.
//   - Format: a way to write a list of them; Formats is the table of those that are known.
//
// Amounts are decimals as text, exact: what is computed of them is computed in fractions and written with 12 places.
package catalogue

// Package proof makes the load and the ledger by which the fold is held to an independent oracle.
//
//   - Load: records of a made-up fleet with all the disorder of a real one, the same for the same seed, with a ledger
//     of what was said. It knows the wire format and nothing of the fold.
//   - testdata/oracle.py: the answer, computed from the ledger alone by a program that shares no code with the fold.
//   - Compare: what one has and the other has not.
package proof

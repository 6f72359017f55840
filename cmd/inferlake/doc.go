// Command inferlake turns what LLM inference servers and their GPUs do into answers.
//
// One file a subcommand. The parts they share:
//
//   - settings: the flags of every command, from the command line, the configuration file and the environment.
//   - folder: the data directory and where each thing lies in it.
//   - pipeline: one loop a partition, from the log into the warehouse.
//   - house: the warehouse of a data directory, asked through the running serve or opened here when none runs.
package main

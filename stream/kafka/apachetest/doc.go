// Package apachetest runs Apache Kafka itself for tests: one node on the loopback, from jars that Maven resolves into
// the repository's .cache. There is one noun, Broker. Without java and mvn a test is skipped, and says so; where
// INFERLAKE_NO_SKIP=1 allows no skips it fails.
package apachetest

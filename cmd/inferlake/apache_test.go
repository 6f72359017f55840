//go:build !race

package main

import (
	"testing"

	"github.com/inferlake/inferlake/stream/kafka/apachetest"
)

// The public traffic through Apache Kafka, which is killed after it has acknowledged it: the trace's own figures, also
// when serve comes again and when the traffic does.
func TestAzureThroughApacheKafka(t *testing.T) {
	trace := azureTrace(t)
	b := apachetest.Start(t, apachetest.Options{})
	brokers := "--brokers=" + b.Addrs()[0]
	l := newLake(t)
	l.run("produce", "replay", "azure", trace, brokers)
	b.Kill()
	if err := b.Restart(); err != nil {
		t.Fatal(err)
	}
	l.contains(l.run("serve", "--once", brokers), "events 147048 = loaded 147048 + pending 0 + duplicate 0 + dead 0", "open requests 0")
	l.azureFigures()
	l.azureRates()
	once := l.content("''", views...)
	l.run("serve", "--once", brokers)
	l.same("after serve came again", l.content("''", views...), once)
	l.run("produce", "replay", "azure", trace, brokers)
	l.contains(l.run("serve", "--once", brokers), "duplicate 147042 + dead 0")
	l.same("after the traffic came again", l.content("''", views...), once)
	l.run("verify")
}

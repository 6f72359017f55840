package apachetest

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"strings"
)

// Plain is the listener without protection, which every Broker has.
const Plain = "PLAIN"

// Options are a Broker's settings; the zero value is usable.
type Options struct {
	Listeners []Listener // beside the plain one
}

// Listener is a way to connect: under TLS, or unprotected where there is no certificate.
type Listener struct {
	Name        string // in capitals
	Advertised  string // host:port that clients are told to connect to; "": the listener's own
	Certificate tls.Certificate
	User        string // who may log in by SCRAM-SHA-512; "": no login is asked for
	Password    string
}

// settings are the lines of server.properties. What is small here only makes the start faster.
func (b *Broker) settings(o Options) (string, error) {
	lines := []string{
		"process.roles=broker,controller", "node.id=1",
		"controller.quorum.voters=1@" + b.addrs[controller], "controller.listener.names=" + controller,
		"inter.broker.listener.name=" + Plain, "log.dirs=" + b.dir + "/log",
		"broker.session.timeout.ms=1000", "broker.heartbeat.interval.ms=300", // a killed node is waited for so long
		"auto.create.topics.enable=false", "num.partitions=4",
		"offsets.topic.replication.factor=1", "offsets.topic.num.partitions=1", "group.initial.rebalance.delay.ms=0",
		"transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1", "transaction.state.log.num.partitions=1",
		"log.cleaner.backoff.ms=100", "log.cleaner.dedupe.buffer.size=8000000", "log.initial.task.delay.ms=500", "log.retention.check.interval.ms=500",
	}
	listeners, protocols := []string{}, []string{Plain + ":PLAINTEXT", controller + ":PLAINTEXT"}
	for name, addr := range b.addrs {
		listeners = append(listeners, name+"://"+addr)
	}
	advertised := []string{Plain + "://" + b.addrs[Plain]}
	for _, l := range o.Listeners {
		more, err := l.settings()
		if err != nil {
			return "", err
		}
		lines = append(lines, more...)
		protocols = append(protocols, l.Name+":"+l.protocol())
		advertised = append(advertised, l.Name+"://"+cmp.Or(l.Advertised, b.addrs[l.Name]))
	}
	lines = append(lines, "listeners="+strings.Join(listeners, ","), "advertised.listeners="+strings.Join(advertised, ","), "listener.security.protocol.map="+strings.Join(protocols, ","), "")
	return strings.Join(lines, "\n"), nil
}

func (l Listener) protocol() string {
	if l.Certificate.PrivateKey == nil {
		return "PLAINTEXT"
	}
	if l.User != "" {
		return "SASL_SSL"
	}
	return "SSL"
}

// settings are the lines about the listener: its certificate and key as PEM, and the way to log in.
func (l Listener) settings() ([]string, error) {
	if l.Certificate.PrivateKey == nil {
		return nil, nil
	}
	key, err := x509.MarshalPKCS8PrivateKey(l.Certificate.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("the key of listener %s: %w", l.Name, err)
	}
	prefix := "listener.name." + strings.ToLower(l.Name) + "."
	lines := []string{
		prefix + "ssl.keystore.type=PEM",
		prefix + "ssl.keystore.certificate.chain=" + line("CERTIFICATE", l.Certificate.Certificate[0]),
		prefix + "ssl.keystore.key=" + line("PRIVATE KEY", key),
	}
	if l.User != "" {
		lines = append(lines, prefix+"sasl.enabled.mechanisms=SCRAM-SHA-512",
			prefix+"scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;")
	}
	return lines, nil
}

// line is a PEM block as a value of a properties file.
func line(kind string, der []byte) string {
	return strings.ReplaceAll(string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})), "\n", `\n`)
}

// freeAddrs are ports of the loopback that nobody uses now.
func freeAddrs(names ...string) (map[string]string, error) {
	addrs := map[string]string{}
	for _, name := range names {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after the loop: all ports differ
		addrs[name] = l.Addr().String()
	}
	return addrs, nil
}

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

// kafkaSettings are the flags of the commands that speak to Kafka.
type kafkaSettings struct {
	Brokers      []string      `help:"Kafka brokers, host:port. Default: an embedded broker in the data directory." placeholder:"HOST:PORT"`
	Plaintext    bool          `help:"Allow unencrypted connections to brokers on other machines."`
	TLSCA        string        `name:"tls-ca" help:"Certificate authorities of the brokers, PEM file." placeholder:"FILE"`
	TLSCert      string        `name:"tls-cert" help:"Own certificate, PEM file." placeholder:"FILE"`
	TLSKey       string        `name:"tls-key" help:"Key of the own certificate, PEM file." placeholder:"FILE"`
	TLS          bool          `name:"tls" help:"Encrypt with the system's certificate authorities."`
	SASL         string        `name:"sasl" help:"Login: plain, scram-sha-256 or scram-sha-512." enum:",plain,scram-sha-256,scram-sha-512" default:"" placeholder:"MECHANISM"`
	SASLUser     string        `name:"sasl-user" help:"User name of the login." placeholder:"NAME"`
	SASLPassword string        `name:"sasl-password-file" help:"File that holds the login's password." placeholder:"FILE"`
	Partitions   int           `help:"Partitions of topics that are created." default:"4"`
	Retention    time.Duration `help:"How long created topics keep records." default:"168h"`
}

// broker is a Kafka to speak to: the configured one, or an embedded one that ends with Close.
type broker struct {
	kafka.Config
	embedded *embedded.Broker
	topics   kafka.TopicOptions
}

func (s kafkaSettings) config() kafka.Config {
	return kafka.Config{Brokers: s.Brokers, Plaintext: s.Plaintext,
		TLS:  kafka.TLS{Enabled: s.TLS, CAFile: s.TLSCA, CertFile: s.TLSCert, KeyFile: s.TLSKey},
		SASL: kafka.SASL{Mechanism: s.SASL, User: s.SASLUser, PasswordFile: s.SASLPassword}}
}

// open reaches the brokers, or starts the embedded one, and creates the topics that are missing.
func (s kafkaSettings) open(ctx context.Context, f folder, o embedded.Options) (*broker, error) {
	b := &broker{Config: s.config(), topics: kafka.TopicOptions{Partitions: s.Partitions, Retention: s.Retention}}
	if len(s.Brokers) == 0 {
		o.Partitions, o.Retention = s.Partitions, s.Retention
		var err error
		if b.embedded, err = embedded.Start(f.broker(), o); err != nil {
			return nil, fmt.Errorf("cannot start the embedded broker: %w", err)
		}
		b.Config.Brokers = b.embedded.Addrs()
	}
	if err := b.createTopics(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *broker) createTopics(ctx context.Context) error {
	admin, err := kafka.NewAdmin(ctx, b.Config)
	if err != nil {
		return err
	}
	defer admin.Close()
	return admin.CreateTopics(ctx, b.topics)
}

// Close ends the embedded broker, if that is what it is.
func (b *broker) Close() error {
	if b.embedded == nil {
		return nil
	}
	return b.embedded.Close()
}

package kafka

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// DefaultBroker is where a Config without brokers looks.
const DefaultBroker = "127.0.0.1:9092"

// Config says how to reach the brokers. The zero value reaches a broker on this machine without encryption.
type Config struct {
	// Brokers are addresses host:port to start from; none means DefaultBroker.
	Brokers []string
	// ClientID names this program to the brokers; "" means inferlake.
	ClientID string
	// Plaintext allows unencrypted connections to other machines. To this machine they always are.
	Plaintext bool
	TLS       TLS
	SASL      SASL
}

func (c Config) withDefaults() Config {
	if len(c.Brokers) == 0 {
		c.Brokers = []string{DefaultBroker}
	}
	if c.ClientID == "" {
		c.ClientID = "inferlake"
	}
	return c
}

// Check refuses settings that could not work or would not be safe, without connecting.
func (c Config) Check() error { return c.withDefaults().validate() }

// validate refuses what could not work or would not be safe.
func (c Config) validate() error {
	for _, b := range c.Brokers {
		if _, _, err := net.SplitHostPort(b); err != nil {
			return fmt.Errorf("broker address %q is not host:port: %w", b, err)
		}
	}
	if err := c.TLS.validate(); err != nil {
		return err
	}
	if err := c.SASL.validate(); err != nil {
		return err
	}
	return c.validateExposure()
}

func (c Config) validateExposure() error {
	far := c.farBroker()
	if c.TLS.used() || far == "" {
		return nil
	}
	if !c.Plaintext {
		return fmt.Errorf("broker %s is on another machine and TLS is off: give a CA file or enable TLS, or allow plaintext explicitly", far)
	}
	if c.SASL.Mechanism == Plain {
		return errors.New("SASL plain would send the password readable over the network: enable TLS or use scram-sha-512")
	}
	return nil
}

// farBroker returns the first broker that is not on this machine, "" when there is none.
func (c Config) farBroker() string {
	for _, b := range c.Brokers {
		host, _, _ := net.SplitHostPort(b)
		ip, err := netip.ParseAddr(host)
		if host != "localhost" && (err != nil || !ip.IsLoopback()) {
			return b
		}
	}
	return ""
}

package kafka_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

const secret = "correct-horse-battery"

// authority is a CA that signs one certificate for 127.0.0.1.
func authority(t *testing.T, until time.Time) (caFile string, server tls.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return caFile, tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Each wrong way to connect ends within 10 s in an error that says what to change and tells no secret.
func TestWrongWaysToConnect(t *testing.T) {
	t.Parallel()
	ca, cert := authority(t, time.Now().Add(time.Hour))
	otherCA, _ := authority(t, time.Now().Add(time.Hour))
	oldCA, oldCert := authority(t, time.Now().Add(-time.Hour))
	passwords := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(passwords, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrongOnes := filepath.Join(t.TempDir(), "wrong")
	if err := os.WriteFile(wrongOnes, []byte("not-"+secret), 0o600); err != nil {
		t.Fatal(err)
	}
	users := []embedded.User{{Mechanism: "SCRAM-SHA-512", Name: "ann", Password: secret}}
	secure, _ := startBroker(t, embedded.Options{TLS: serverTLS(cert), Users: users})
	expired, _ := startBroker(t, embedded.Options{TLS: serverTLS(oldCert)})
	plain, _ := startBroker(t, embedded.Options{})
	login := kafka.SASL{Mechanism: kafka.ScramSHA512, User: "ann", PasswordFile: passwords}
	wrong := kafka.SASL{Mechanism: kafka.ScramSHA512, User: "ann", PasswordFile: wrongOnes}

	for name, c := range map[string]struct {
		broker *embedded.Broker
		conf   kafka.Config
		want   string // "" means that it works
	}{
		"right":          {secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}, SASL: login}, ""},
		"wrong CA":       {secure, kafka.Config{TLS: kafka.TLS{CAFile: otherCA}, SASL: login}, "check the CA file"},
		"system CAs":     {secure, kafka.Config{TLS: kafka.TLS{Enabled: true}, SASL: login}, "check the CA file"},
		"wrong name":     {secure, kafka.Config{TLS: kafka.TLS{CAFile: ca, ServerName: "kafka.example"}, SASL: login}, "server name"},
		"expired":        {expired, kafka.Config{TLS: kafka.TLS{CAFile: oldCA}}, "dates"},
		"wrong password": {secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}, SASL: wrong}, "password"},
		"no SASL":        {secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}}, "SASL"},
		"no TLS":         {secure, kafka.Config{}, "expect TLS"},
		"TLS at plain":   {plain, kafka.Config{TLS: kafka.TLS{CAFile: ca}}, "turn TLS off"},
		"wrong kind":     {secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}, SASL: kafka.SASL{Mechanism: kafka.ScramSHA256, User: "ann", PasswordFile: passwords}}, "SASL mechanism"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.conf.Brokers = c.broker.Addrs()
			began := time.Now()
			a, err := kafka.NewAdmin(t.Context(), c.conf)
			if err == nil {
				a.Close()
			}
			checkRefusal(t, err, c.want, time.Since(began))
			r := newReader(t, c.conf, requests0)
			began = time.Now()
			_, err = r.Read(t.Context(), 0)
			checkRefusal(t, err, c.want, time.Since(began))
		})
	}
}

func checkRefusal(t *testing.T, err error, want string, took time.Duration) {
	t.Helper()
	if took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	if want == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), secret) {
		t.Errorf("after %v: %v", took, err)
	}
}

func serverTLS(c tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
}

func TestAnUnreachableBrokerIsAnErrorInTime(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	began := time.Now()
	_, err = kafka.NewAdmin(t.Context(), kafka.Config{Brokers: []string{address}})
	if err == nil || !strings.Contains(err.Error(), address) || time.Since(began) > 11*time.Second {
		t.Fatalf("after %v: %v", time.Since(began), err)
	}
}

func TestSettingsThatAreRefused(t *testing.T) {
	t.Setenv("EMPTY", "")
	for name, c := range map[string]struct {
		conf kafka.Config
		want string
	}{
		"zero value":           {kafka.Config{}, ""},
		"no port":              {kafka.Config{Brokers: []string{"kafka"}}, "host:port"},
		"plaintext elsewhere":  {kafka.Config{Brokers: []string{"kafka:9092"}}, "TLS is off"},
		"allowed plaintext":    {kafka.Config{Brokers: []string{"kafka:9092"}, Plaintext: true}, ""},
		"TLS elsewhere":        {kafka.Config{Brokers: []string{"kafka:9092"}, TLS: kafka.TLS{Enabled: true}}, ""},
		"certificate, no key":  {kafka.Config{TLS: kafka.TLS{CertFile: "c.pem"}}, "belong together"},
		"unknown mechanism":    {kafka.Config{SASL: kafka.SASL{Mechanism: "gssapi", User: "u"}}, "gssapi"},
		"no user":              {kafka.Config{SASL: kafka.SASL{Mechanism: kafka.Plain}}, "user"},
		"no password":          {kafka.Config{SASL: kafka.SASL{Mechanism: kafka.Plain, User: "u", PasswordEnv: "EMPTY"}}, "password"},
		"missing file":         {kafka.Config{SASL: kafka.SASL{Mechanism: kafka.Plain, User: "u", PasswordFile: "/nowhere"}}, "/nowhere"},
		"password in the open": {kafka.Config{Brokers: []string{"kafka:9092"}, Plaintext: true, SASL: kafka.SASL{Mechanism: kafka.Plain, User: "u", PasswordEnv: "PATH"}}, "readable over the network"},
	} {
		err := c.conf.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package kafka_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferlake/inferlake/stream/kafka"
	"github.com/inferlake/inferlake/stream/kafka/apachetest"
	"github.com/inferlake/inferlake/stream/kafka/embedded"
)

const secret = "correct-horse-battery"

// authority is a CA that signs one certificate for 127.0.0.1.
type authority struct {
	pem    []byte
	server tls.Certificate
}

func newAuthority(until time.Time) (a authority, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return a, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return a, err
	}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	a.server = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	return a, nil
}

// file is where a client finds the authority.
func (a authority) file(t *testing.T) string { return fileWith(t, string(a.pem)) }

func fileWith(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// authorities are those of all brokers here: one that is good, one whose certificate has expired, and a stranger.
var authorities = sync.OnceValues(func() (all struct{ good, old, other authority }, err error) {
	var errs [3]error
	all.good, errs[0] = newAuthority(time.Now().Add(time.Hour))
	all.old, errs[1] = newAuthority(time.Now().Add(-time.Hour))
	all.other, errs[2] = newAuthority(time.Now().Add(time.Hour))
	return all, errors.Join(errs[:]...)
})

// listeners are addresses under different protections; secure ones ask ann for her secret.
type listeners struct{ secure, expired, plain []string }

const user = "ann"

func embeddedListeners(t *testing.T) listeners {
	all, err := authorities()
	if err != nil {
		t.Fatal(err)
	}
	users := []embedded.User{{Mechanism: "SCRAM-SHA-512", Name: user, Password: secret}}
	secure, _ := startBroker(t, embedded.Options{TLS: serverTLS(all.good.server), Users: users})
	expired, _ := startBroker(t, embedded.Options{TLS: serverTLS(all.old.server)})
	plain, _ := startBroker(t, embedded.Options{})
	return listeners{secure.Addrs(), expired.Addrs(), plain.Addrs()}
}

// sharedApache is this program's Apache Kafka with all listeners.
func sharedApache(t *testing.T) *apachetest.Broker {
	t.Helper()
	all, err := authorities()
	if err != nil {
		t.Fatal(err)
	}
	return apachetest.Shared(t, apachetest.Options{Listeners: []apachetest.Listener{
		{Name: "SECURE", Certificate: all.good.server, User: user, Password: secret},
		{Name: "EXPIRED", Certificate: all.old.server},
	}})
}

func apacheListeners(t *testing.T) listeners {
	emptyApache(t)
	b := sharedApache(t)
	return listeners{b.Listener("SECURE"), b.Listener("EXPIRED"), b.Addrs()}
}

func TestWrongWaysToConnect(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { testWrongWaysToConnect(t, embeddedListeners(t)) })
	t.Run("apache", func(t *testing.T) { testWrongWaysToConnect(t, apacheListeners(t)) })
}

// Each wrong way to connect ends within 10 s in an error that says what to change and tells no secret.
func testWrongWaysToConnect(t *testing.T, at listeners) {
	all, _ := authorities()
	ca, otherCA, oldCA := all.good.file(t), all.other.file(t), all.old.file(t)
	passwords := fileWith(t, secret+"\n")
	login := kafka.SASL{Mechanism: kafka.ScramSHA512, User: user, PasswordFile: passwords}
	wrong := kafka.SASL{Mechanism: kafka.ScramSHA512, User: user, PasswordFile: fileWith(t, "not-"+secret)}

	for name, c := range map[string]struct {
		brokers []string
		conf    kafka.Config
		want    string // "" means that it works
	}{
		"right":          {at.secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}, SASL: login}, ""},
		"wrong CA":       {at.secure, kafka.Config{TLS: kafka.TLS{CAFile: otherCA}, SASL: login}, "check the CA file"},
		"system CAs":     {at.secure, kafka.Config{TLS: kafka.TLS{Enabled: true}, SASL: login}, "check the CA file"},
		"wrong name":     {at.secure, kafka.Config{TLS: kafka.TLS{CAFile: ca, ServerName: "kafka.example"}, SASL: login}, "server name"},
		"expired":        {at.expired, kafka.Config{TLS: kafka.TLS{CAFile: oldCA}}, "dates"},
		"wrong password": {at.secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}, SASL: wrong}, "password"},
		"no SASL":        {at.secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}}, "SASL"},
		"no TLS":         {at.secure, kafka.Config{}, "expect TLS"},
		"TLS at plain":   {at.plain, kafka.Config{TLS: kafka.TLS{CAFile: ca}}, "turn TLS off"},
		"wrong kind":     {at.secure, kafka.Config{TLS: kafka.TLS{CAFile: ca}, SASL: kafka.SASL{Mechanism: kafka.ScramSHA256, User: user, PasswordFile: passwords}}, "SASL mechanism"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.conf.Brokers = c.brokers
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

package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// TLS says how connections are encrypted. There is no way to skip the check of the broker's certificate.
type TLS struct {
	Enabled    bool   // implied by any of the files
	CAFile     string // PEM with the authorities to trust; "" means those of the system
	CertFile   string // PEM with this client's certificate, for brokers that ask for one
	KeyFile    string // PEM with its key
	ServerName string // name that the broker's certificate must carry; "" means the host dialled
}

func (t TLS) used() bool {
	return t.Enabled || t.CAFile != "" || t.CertFile != "" || t.KeyFile != ""
}

func (t TLS) validate() error {
	if (t.CertFile == "") != (t.KeyFile == "") {
		return errors.New("TLS client certificate and key belong together: give both files or neither")
	}
	return nil
}

// config reads the files; nil means no TLS.
func (t TLS) config() (*tls.Config, error) {
	if !t.used() {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}
	if t.CAFile != "" {
		pool, err := readAuthorities(t.CAFile)
		if err != nil {
			return nil, err
		}
		c.RootCAs = pool
	}
	if t.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("cannot load the TLS client certificate %s: %w", t.CertFile, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func readAuthorities(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the TLS authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate found in the TLS authorities file %s: it must be PEM", file)
	}
	return pool, nil
}

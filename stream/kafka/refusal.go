package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// hopeless reports whether an error of connecting stays the same however often one tries.
func hopeless(err error) bool {
	return badCertificate(err) || noTLSThere(err) || badLogin(err) || hungUp(err)
}

// hint says what to change, as " (…)"; "" when nothing is known.
func (c Config) hint(err error) string {
	switch {
	case badCertificate(err):
		return " (the broker's certificate is not accepted: check the CA file, the server name and the certificate's dates)"
	case noTLSThere(err):
		return " (the broker does not speak TLS on this port: use its TLS port, or turn TLS off)"
	case badLogin(err):
		return " (the broker refused the login: check SASL mechanism, user and password)"
	case hungUp(err) && !c.TLS.used():
		return " (the broker hung up on the first request: it may expect TLS or SASL)"
	case hungUp(err):
		return " (the broker hung up on the first request: it may expect SASL or a client certificate)"
	}
	return ""
}

func badCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var alert tls.AlertError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &alert) || errors.As(err, &invalid)
}

func noTLSThere(err error) bool {
	var header tls.RecordHeaderError
	return errors.As(err, &header)
}

func badLogin(err error) bool {
	return errors.Is(err, kerr.SaslAuthenticationFailed) || errors.Is(err, kerr.UnsupportedSaslMechanism) ||
		errors.Is(err, kerr.IllegalSaslState)
}

func hungUp(err error) bool {
	var eof *kgo.ErrFirstReadEOF
	return errors.As(err, &eof)
}

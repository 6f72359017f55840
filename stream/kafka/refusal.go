package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// hopeless reports whether an error of connecting stays the same however often one tries.
func hopeless(err error) bool {
	return badCertificate(err) || noTLSThere(err) || answersInTLS(err) || badLogin(err)
}

// hint says what to change, as " (…)"; "" when nothing is known.
func (c Config) hint(err error) string {
	switch {
	case badCertificate(err):
		return " (the broker's certificate is not accepted: check the CA file, the server name and the certificate's dates)"
	case noTLSThere(err):
		return " (the broker does not speak TLS on this port: use its TLS port, or turn TLS off)"
	case answersInTLS(err):
		return " (the broker answers in TLS: it seems to expect TLS; give a CA file or enable TLS, or use its plaintext port)"
	case hungUpOnTLS(err):
		return " (the broker hung up during the TLS handshake: it may not speak TLS on this port; use its TLS port, or turn TLS off)"
	case badLogin(err):
		return " (the broker refused the login: check SASL mechanism, user and password)"
	case hungUp(err) && c.SASL.Mechanism != "":
		return " (the broker hung up during the login: check SASL mechanism, user and password)"
	case hungUp(err):
		return " (the broker hung up on the first request: it may expect " + c.notUsed() + ")"
	case errors.Is(err, context.DeadlineExceeded) && c.TLS.used():
		return " (no answer: if the address is right, the broker may not speak TLS there; use its TLS port, or turn TLS off)"
	}
	return ""
}

// notUsed names the protections that a broker may expect and this client does not offer.
func (c Config) notUsed() string {
	if c.TLS.used() {
		return "SASL or a client certificate"
	}
	return "TLS or SASL"
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

// answersInTLS knows Apache Kafka's answer to a request in plaintext. The client has no other name for it than its text.
func answersInTLS(err error) bool { return strings.Contains(err.Error(), "tls alert record") }

// hungUpOnTLS knows that Apache Kafka took a TLS greeting for a request of an impossible size.
func hungUpOnTLS(err error) bool {
	var eof *kgo.ErrFirstReadEOF
	return errors.As(err, &eof) && strings.Contains(eof.Error(), "using TLS when the broker is not expecting it")
}

func badLogin(err error) bool {
	return errors.Is(err, kerr.SaslAuthenticationFailed) || errors.Is(err, kerr.UnsupportedSaslMechanism) ||
		errors.Is(err, kerr.IllegalSaslState)
}

func hungUp(err error) bool { return errors.Is(err, io.EOF) }

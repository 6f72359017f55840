package kafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// The SASL mechanisms.
const (
	Plain       = "plain"
	ScramSHA256 = "scram-sha-256"
	ScramSHA512 = "scram-sha-512"
)

// SASL says who connects. The password is read at every login, so it may be changed in place; it is never kept in
// a setting or an error.
type SASL struct {
	Mechanism    string // Plain, ScramSHA256 or ScramSHA512; "" means no SASL
	User         string
	PasswordFile string // file that holds the password; a line end after it is ignored
	PasswordEnv  string // environment variable that holds it, used without a file
}

func (s SASL) validate() error {
	switch s.Mechanism {
	case "":
		return nil
	case Plain, ScramSHA256, ScramSHA512:
	default:
		return fmt.Errorf("SASL mechanism %q is not known: use %s, %s or %s", s.Mechanism, Plain, ScramSHA256, ScramSHA512)
	}
	if s.User == "" {
		return errors.New("SASL needs a user")
	}
	_, err := s.password()
	return err
}

func (s SASL) password() (string, error) {
	if s.PasswordFile != "" {
		b, err := os.ReadFile(s.PasswordFile)
		if err != nil {
			return "", fmt.Errorf("cannot read the SASL password: %w", err)
		}
		return strings.TrimRight(string(b), "\r\n"), nil
	}
	if p := os.Getenv(s.PasswordEnv); s.PasswordEnv != "" && p != "" {
		return p, nil
	}
	return "", fmt.Errorf("no SASL password for user %s: give a password file, or an environment variable that is set", s.User)
}

// mechanism returns the login; nil means none.
func (s SASL) mechanism() sasl.Mechanism {
	login := func(context.Context) (scram.Auth, error) {
		p, err := s.password()
		return scram.Auth{User: s.User, Pass: p}, err
	}
	switch s.Mechanism {
	case Plain:
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			p, err := s.password()
			return plain.Auth{User: s.User, Pass: p}, err
		})
	case ScramSHA256:
		return scram.Sha256(login)
	case ScramSHA512:
		return scram.Sha512(login)
	}
	return nil
}

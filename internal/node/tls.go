package node

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"

	"lukasa.dev/internal/fault"
)

// lookEvery is the minimum interval between checks of the certificate files.
const lookEvery = 10 * time.Second

// certificate is a certificate that is reloaded when its files change. If the new one cannot be
// read, the old one stays in use.
type certificate struct {
	cert, key string
	log       *slog.Logger
	now       func() time.Time

	mu     sync.Mutex
	in     *tls.Certificate
	looked time.Time
	stamp  [2]time.Time
}

// openCertificate reads a certificate for the first time.
func openCertificate(cert, key string, log *slog.Logger) (*certificate, error) {
	c := &certificate{cert: cert, key: key, log: log, now: time.Now}
	c.stamp = c.stamps()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fault.Newf(fault.BadConfig, "tls_cert and tls_key: %w", err).WithFix("name PEM files that belong together and that the server may read")
	}
	c.in, c.looked = &pair, c.now()
	return c, nil
}

// stamps are the modification times of the files.
func (c *certificate) stamps() (s [2]time.Time) {
	for i, name := range []string{c.cert, c.key} {
		if info, err := os.Stat(name); err == nil {
			s[i] = info.ModTime()
		}
	}
	return s
}

// get returns the certificate for a new connection.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	if now.Sub(c.looked) < lookEvery {
		return c.in, nil
	}
	c.looked = now
	stamp := c.stamps()
	if stamp == c.stamp {
		return c.in, nil
	}
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		c.log.Warn("the certificate changed and cannot be read; the old one stays in use", "error", err)
		return c.in, nil
	}
	c.in, c.stamp = &pair, stamp
	c.log.Info("the certificate was read again")
	return c.in, nil
}

// config is the TLS configuration.
func (c *certificate) config() *tls.Config {
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
}

package notify_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"testing"
)

// smtpServer is a mail server on this machine that speaks as much SMTP as a
// sender needs (RFC 5321, 3207, 4954).
type smtpServer struct {
	port     int
	roots    *x509.CertPool
	cert     tls.Certificate
	implicit bool
	starttls bool
	auth     string            // the mechanisms that it offers over TLS
	replies  map[string]string // in place of a command's own reply; "" hangs

	stopped chan struct{}
	mu      sync.Mutex
	said    []string // commands, as they came
	mails   []string
}

// serveSMTP serves until the test ends.
func serveSMTP(t *testing.T, s *smtpServer) *smtpServer {
	t.Helper()
	https := httptest.NewTLSServer(nil) // for its certificate
	s.cert, s.roots = https.TLS.Certificates[0], x509.NewCertPool()
	s.roots.AddCert(https.Certificate())
	https.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port, s.stopped = listener.Addr().(*net.TCPAddr).Port, make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		close(s.stopped)
		all.Wait()
	})
	return s
}

func (s *smtpServer) tls(conn net.Conn) *tls.Conn {
	return tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{s.cert}, MinVersion: tls.VersionTLS12})
}

func (s *smtpServer) serve(conn net.Conn) {
	defer func() { conn.Close() }()
	secret := s.implicit
	if secret {
		conn = s.tls(conn)
	}
	fmt.Fprint(conn, "220 mail.test ready\r\n")
	lines := textproto.NewReader(bufio.NewReader(conn))
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.said = append(s.said, line)
		s.mu.Unlock()
		verb := strings.ToUpper(strings.Fields(line + " ?")[0])
		if reply, given := s.replies[verb]; given {
			if reply == "" {
				io.Copy(io.Discard, conn) // until the other side has had enough
				return
			}
			fmt.Fprint(conn, reply+"\r\n")
			continue
		}
		switch verb {
		case "EHLO":
			fmt.Fprint(conn, s.extensions(secret))
		case "STARTTLS":
			fmt.Fprint(conn, "220 go\r\n")
			conn, secret = s.tls(conn), true
			lines = textproto.NewReader(bufio.NewReader(conn))
		case "AUTH":
			fmt.Fprint(conn, "235 welcome\r\n")
		case "DATA":
			fmt.Fprint(conn, "354 go on\r\n")
			text, err := io.ReadAll(lines.DotReader())
			if err != nil {
				return
			}
			s.mu.Lock()
			s.mails = append(s.mails, string(text))
			s.mu.Unlock()
			fmt.Fprint(conn, "250 taken\r\n")
		case "QUIT":
			fmt.Fprint(conn, "221 bye\r\n")
			return
		default:
			fmt.Fprint(conn, "250 fine\r\n")
		}
	}
}

func (s *smtpServer) extensions(secret bool) string {
	text := "250-mail.test\r\n"
	if s.starttls && !secret {
		text += "250-STARTTLS\r\n"
	}
	if s.auth != "" && secret {
		text += "250-AUTH " + s.auth + "\r\n"
	}
	return text + "250 8BITMIME\r\n"
}

func (s *smtpServer) received() (mails, commands []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails), slices.Clone(s.said)
}

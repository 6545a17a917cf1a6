package provider

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"syscall"
)

// noAnswer is the word where there is no better one.
const noAnswer = "no answer"

// unanswered names, in a few fixed words, why no answer came. An error's own
// text stays here: it bears addresses.
func unanswered(err error) string {
	if word := interrupted(err); word != "" {
		return word
	}
	var (
		dns    *net.DNSError
		cert   *tls.CertificateVerificationError
		record tls.RecordHeaderError
		alert  tls.AlertError
		op     *net.OpError
	)
	switch {
	case errors.As(err, &dns):
		return "unknown host"
	case errors.As(err, &cert):
		return "certificate not accepted"
	case errors.As(err, &record), errors.As(err, &alert):
		return "tls handshake broken"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.ErrClosedPipe):
		return "connection closed"
	case errors.As(err, &op) && op.Op == "dial":
		return "no connection"
	}
	return noAnswer
}

// cutOff names, in a few fixed words, why a body does not count.
func cutOff(err error) string {
	for _, known := range []error{errUpgraded, errEndless, errTooLarge} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if word := interrupted(err); word != "" {
		return word
	}
	return "body cut off"
}

// interrupted is the word for what ended by a deadline or by its caller, ""
// where neither did.
func interrupted(err error) string {
	var timed net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return ""
}

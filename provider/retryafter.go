package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what a provider may ask for: it is a wish, not an order.
const maxRetryAfter = time.Hour

// RetryAfter is what the header of that name asks for (RFC 9110, 10.2.3:
// seconds or a date), at most an hour. Zero: it was not said, or not in a form
// that means anything.
func (c *Client) RetryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(c.now().Round(0)), 0), maxRetryAfter)
}

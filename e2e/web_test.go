//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// web is one request over HTTP, by a client with no library in it.
func web(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: web STATUS URL [NAME:VALUE…] [JSON]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	method, body, headers := http.MethodGet, "", args[2:]
	if n := len(headers); n > 0 && strings.HasPrefix(headers[n-1], "{") {
		method, body, headers = http.MethodPost, headers[n-1], headers[:n-1]
	}
	req, err := http.NewRequest(method, args[1], strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ":")
		if req.Header.Set(name, strings.TrimSpace(value)); name == "Host" {
			req.Host = strings.TrimSpace(value)
		}
	}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stderr(), "%s\n", resp.Status)
	ts.Check(resp.Header.Write(ts.Stderr()))
	if resp.StatusCode != want {
		ts.Fatalf("%s %s: got %s, want %d\n%s", method, args[1], resp.Status, want, text)
	}
	var r response
	if json.Unmarshal(text, &r) == nil && r.Result != nil && r.Result.StructuredContent != nil {
		result(ts, &r)
		return
	}
	fmt.Fprintf(ts.Stdout(), "%s\n", strings.TrimSpace(string(text)))
}

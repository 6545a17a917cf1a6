//go:build unix

package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits is the exit status of a call by its outcome.
var exits = map[string]int{
	"performed": 0, "already_performed": 0, "found": 0,
	"not_performed": 1, "not_found": 1, "unreachable": 1, "invalid_arguments": 1,
	"unknown": 3,
}

func ask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: ask TOOL [JSON] [KEY=VALUE…]")
	}
	command := append([]string{"call", args[0], "--args", arguments(ts, args[1:]), "--json"}, timing(ts)...)
	stdout, stderr, code := run(ts, command...)
	fmt.Fprint(ts.Stdout(), stdout)
	fmt.Fprint(ts.Stderr(), stderr)
	if !strings.HasSuffix(stdout, "}\n") {
		ts.Fatalf("exit status %d, and no answer with a newline", code)
	}
	answer := heard(ts, []byte(strings.TrimSuffix(stdout, "\n")))
	if want, known := exits[answer.Outcome]; !known || code != want {
		ts.Fatalf("exit status: got %d, want %d for %s", code, want, answer.Outcome)
	}
}

// arguments puts key=value pairs over a JSON object. A value that is JSON counts
// as that, any other as text.
func arguments(ts *testscript.TestScript, args []string) string {
	if len(args) == 1 && strings.ContainsAny(args[0][:1], "{[") {
		return args[0] // as it is, to the byte
	}
	object := map[string]json.RawMessage{}
	if len(args) > 0 && strings.HasPrefix(args[0], "{") {
		ts.Check(json.Unmarshal([]byte(args[0]), &object))
		args = args[1:]
	}
	for _, pair := range args {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			ts.Fatalf("%q is no KEY=VALUE", pair)
		}
		object[key] = json.RawMessage(value)
		if !json.Valid([]byte(value)) {
			text, err := json.Marshal(value)
			ts.Check(err)
			object[key] = text
		}
	}
	text, err := json.Marshal(object)
	ts.Check(err)
	return string(text)
}

// post is a request by somebody else, at the marketplace's own API.
func post(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: post PATH JSON")
	}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(ts.Getenv("COUNTERFOIL_SANDBOX_URL")+args[0], "application/json", strings.NewReader(args[1]))
	ts.Check(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s\n", bytes.TrimSpace(body))
	if resp.StatusCode != http.StatusOK {
		ts.Fatalf("post %s: %s\n%s", args[0], resp.Status, body)
	}
}

package server_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
)

func initialize(version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, version)
}

func TestProtocolVersionsWithAHandshake(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := connect(t, tools(map[string]handler{"pay": says("paid")}))
				r.send(initialize(version))
				var got struct {
					ProtocolVersion string
					Capabilities    json.RawMessage
					Instructions    string
				}
				if err := json.Unmarshal(r.reply("0").Result, &got); err != nil {
					t.Fatal(err)
				}
				if got.ProtocolVersion != version || string(got.Capabilities) != `{"tools":{}}` || got.Instructions == "" {
					t.Errorf("got %+v", got)
				}
				r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
				mustListPay(t, r, `{}`)
				r.call(2, "pay")
				if got := r.text(2); got != "paid" {
					t.Errorf("got %q", got)
				}
				r.end()
				r.mustLeave(0)
			})
		})
	}
}

func TestStatelessProtocol(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	synctest.Test(t, func(t *testing.T) {
		r := connect(t, tools(map[string]handler{"pay": says("paid")}))
		mustListPay(t, r, `{`+meta+`}`)
		r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{},` + meta + `}}`)
		if got := r.text(2); got != "paid" {
			t.Errorf("got %q", got)
		}
		r.send(`{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{` + meta + `}}`)
		var got struct{ Capabilities json.RawMessage }
		if err := json.Unmarshal(r.reply("3").Result, &got); err != nil || string(got.Capabilities) != `{"tools":{}}` {
			t.Errorf("discovered %s, %v", got.Capabilities, err)
		}
		// There is nothing to subscribe to: acknowledged, and over.
		r.send(`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + meta + `}}`)
		if got := r.next(); got.Method != "notifications/subscriptions/acknowledged" {
			t.Errorf("got %s", got.raw)
		}
		if got := r.next(); string(got.ID) != "4" || got.Error != nil {
			t.Errorf("got %s", got.raw)
		}
		// An old client on the same connection.
		r.send(initialize("2024-11-05"))
		r.reply("0")
		r.end()
		r.mustLeave(0)
	})
}

func mustListPay(t *testing.T, r *rig, params string) {
	t.Helper()
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":` + params + `}`)
	var got struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(r.reply("1").Result, &got); err != nil || len(got.Tools) != 1 || got.Tools[0].Name != "pay" {
		t.Errorf("listed %v, %v", got, err)
	}
}

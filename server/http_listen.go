package server

import (
	"bytes"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
)

// acknowledged is the answer to subscriptions/listen, the acknowledgement first
// as 2026-07-28 asks. There is nothing to subscribe to here, so the stream ends
// with it; and the library loses a note that is sent just before a stream ends,
// when its forwarder has taken the note and not yet written it.
func acknowledged(stream []byte, m message) []byte {
	if m.method != string(mcp.MethodSubscriptionsListen) || bytes.Contains(stream, []byte(`"`+mcp.MethodNotificationSubscriptionsAcknowledged+`"`)) {
		return stream
	}
	first := fmt.Appendf(nil, `event: message
data: {"jsonrpc":%q,"method":%q,"params":{"_meta":{%q:%s},"notifications":{}}}

`, mcp.JSONRPC_VERSION, mcp.MethodNotificationSubscriptionsAcknowledged, mcp.MetaKeySubscriptionID, m.id)
	return append(first, stream...)
}

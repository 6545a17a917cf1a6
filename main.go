// Counterfoil is an MCP server whose tools act at most once.
package main

import (
	"os"

	"counterfoil/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], cli.ThisProcess()))
}

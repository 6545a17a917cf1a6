package server_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"counterfoil/server"
)

// asServer names the file in which a child of this test leaves word that it
// finished what it had begun.
const asServer = "COUNTERFOIL_TEST_SERVER"

func TestMain(m *testing.M) {
	if file := os.Getenv(asServer); file != "" {
		os.Exit(serve(file))
	}
	os.Exit(m.Run())
}

// serve is a real process on real pipes, whose one tool takes half a second.
func serve(file string) int {
	signals, stop := server.Signals()
	defer stop()
	s := tools(map[string]handler{"pay": func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, _ = os.Stderr.WriteString("started\n")
		<-time.After(500 * time.Millisecond)
		return mcp.NewToolResultText("paid"), os.WriteFile(file, []byte("finished"), 0o600)
	}})
	if err := server.Stdio(context.Background(), server.StdioOptions{MCP: s, Out: os.Stdout, Signals: signals}); err != nil {
		return 1
	}
	return 0
}

func TestProcessFinishesWhatItBegan(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("signals are sent to processes elsewhere")
	}
	tests := []struct {
		name  string
		leave func(*exec.Cmd, io.Closer, io.Closer)
		reply bool
	}{
		{"SIGTERM", func(cmd *exec.Cmd, _, _ io.Closer) { _ = cmd.Process.Signal(syscall.SIGTERM) }, true},
		{"SIGINT", func(cmd *exec.Cmd, _, _ io.Closer) { _ = cmd.Process.Signal(os.Interrupt) }, true},
		{"end of input", func(_ *exec.Cmd, in, _ io.Closer) { _ = in.Close() }, true},
		{"a client that is gone", func(_ *exec.Cmd, in, out io.Closer) {
			_ = out.Close()
			// This answer meets a closed pipe while the call still runs.
			_, _ = io.WriteString(in.(io.Writer), `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "word")
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), asServer+"="+file)
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			stderr, _ := cmd.StderrPipe()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(in, callLine(1, "pay")+"\n")
			if line, err := bufio.NewReader(stderr).ReadString('\n'); line != "started\n" {
				t.Fatalf("the server said %q, %v", line, err)
			}
			begun := time.Now()
			tt.leave(cmd, in, out)
			written, _ := io.ReadAll(out)
			if err := cmd.Wait(); err != nil {
				t.Errorf("left with %v", err)
			}
			if got := time.Since(begun); got > 4*time.Second {
				t.Errorf("left after %v", got)
			}
			if word, err := os.ReadFile(file); string(word) != "finished" {
				t.Errorf("the call was abandoned: %v", err)
			}
			if tt.reply != strings.Contains(string(written), `"paid"`) {
				t.Errorf("the client read %q", written)
			}
		})
	}
}

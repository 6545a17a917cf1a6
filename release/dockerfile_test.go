package main_test

import (
	"regexp"
	"strings"
	"testing"
)

// The image is built with the Go that go.mod asks for, on a base without a
// shell, and does not run as root. No image is built here: that takes a daemon.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text := string(read(t, "../Dockerfile"))
	bases := regexp.MustCompile(`(?m)^FROM (?:--platform=\S+ )?(\S+)`).FindAllStringSubmatch(text, -1)
	if len(bases) != 2 {
		t.Fatalf("%d stages, want 2", len(bases))
	}
	wanted := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(read(t, "../go.mod")))
	if got, want := bases[0][1], "golang:"+wanted[1]; !strings.HasPrefix(got, want) {
		t.Errorf("it is built in %s, want %s", got, want)
	}
	if base := bases[1][1]; !strings.HasPrefix(base, "${DISTROLESS}/static-") || !strings.HasSuffix(base, ":nonroot") {
		t.Errorf("it runs on %s", base)
	}
	last := text[strings.LastIndex(text, "\nFROM "):]
	if !regexp.MustCompile(`(?m)^USER [1-9]\d*:[1-9]\d*$`).MatchString(last) {
		t.Errorf("it does not run as somebody else than root:\n%s", last)
	}
}

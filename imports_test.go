package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// module is this module's path: an import that begins with it is ours.
const module = "counterfoil"

// border says what one package may import beside the standard library, and
// what of the standard library it must not. A pattern that ends in /... covers
// the package and all below it, as on Go's command line.
type border struct {
	ours   []string            // our packages, relative to the module
	libs   []string            // other modules' packages
	inFile map[string][]string // further libs, open to the one file of that name
	never  []string            // of the standard library
}

// What a package that only decides must never know: files and the environment,
// the wire, SQL, a logger.
var outsideWorld = []string{"os/...", "net/...", "database/...", "log/...", "syscall/..."}

// borders is the whole of who may import whom. A new package gets a row here
// and a rule in .golangci.yml.
var borders = map[string]border{
	".": {ours: []string{"cli"}},
	"access": {
		ours: []string{"intent"},
		libs: []string{"github.com/go-jose/go-jose/v4/...", "github.com/gofrs/flock", "golang.org/x/time/rate"},
	},
	"cli": {
		ours: []string{
			"access", "cli/demo", "desktop", "intent", "policy", "provider", "provider/notify", "provider/sandbox",
			"sandbox", "schemas", "server", "store", "tools",
		},
		libs: cliLibs,
	},
	"cli/demo": { // not cli itself, which runs it
		ours: []string{
			"intent", "policy", "provider", "provider/sandbox",
			"sandbox", "schemas", "server", "store", "tools",
		},
		libs: cliLibs,
	},
	"desktop": {
		libs:  []string{"github.com/pelletier/go-toml/v2/...", "github.com/tailscale/hujson"},
		never: append([]string{"bufio", "embed", "io/...", "path/filepath"}, outsideWorld...),
	},
	"e2e":             {},
	"e2e/conformance": {},
	"e2e/conformance/server": {
		ours: []string{"server"},
		libs: []string{"github.com/mark3labs/mcp-go/..."},
	},
	"intent": {
		libs:  []string{"golang.org/x/text/unicode/norm"},
		never: outsideWorld,
	},
	"intent/ledgertest": {
		ours: []string{"intent"},
		libs: []string{"github.com/google/go-cmp/..."},
	},
	"intent/mutants": {}, // it builds the engine, and imports none of it
	"policy": {
		ours:  []string{"intent"},
		never: append([]string{"bufio", "embed", "io/...", "path/filepath"}, outsideWorld...),
	},
	"provider": {ours: []string{"intent"}},
	"provider/notify": {
		ours: []string{"intent", "provider"},
		libs: []string{"github.com/wneessen/go-mail/..."},
	},
	"provider/sandbox": {ours: []string{"intent", "provider"}},
	"release":          {libs: []string{"github.com/santhosh-tekuri/jsonschema/v6"}},
	"sandbox": {
		libs: []string{"github.com/gofrs/flock", "github.com/google/uuid", "modernc.org/sqlite/..."},
	},
	"schemas": {
		// x/text: the printer that the library words its errors with.
		libs: []string{"github.com/santhosh-tekuri/jsonschema/v6/...", "golang.org/x/text/..."},
	},
	"server": {
		ours: []string{"intent", "tools"},
		libs: []string{"github.com/mark3labs/mcp-go/...", "github.com/prometheus/client_golang/..."},
	},
	"store": {
		ours: []string{"intent", "store/sqlite3"},
		libs: []string{
			"github.com/gofrs/flock", "github.com/google/uuid",
			"golang.org/x/sys/...", "modernc.org/sqlite/...",
		},
	},
	"store/sqlite3": {libs: []string{"modernc.org/libc", "modernc.org/sqlite/lib"}},
	"tools": {
		ours:   []string{"intent", "policy", "provider", "schemas"},
		inFile: map[string][]string{"mcp.go": {"github.com/mark3labs/mcp-go/..."}},
		never:  []string{"os/...", "net/...", "database/...", "syscall"},
	},
}

var cliLibs = []string{
	"github.com/google/uuid", "github.com/rogpeppe/go-internal/diff", "github.com/spf13/cobra", "go.yaml.in/yaml/...", "golang.org/x/crypto/argon2", "golang.org/x/sys/unix", "golang.org/x/term",
}

// TestImports holds every file of the module to borders, whatever its build
// tags. External test packages are exempt, except e2e's, which stand outside
// like any other client. A test inside a package may import any library for
// testing, but of ours no more than the package itself.
func TestImports(t *testing.T) {
	t.Parallel()

	files := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name != "." && notOfThisModule(name) {
				return fs.SkipDir
			}
			return nil
		case filepath.Ext(name) != ".go":
			return nil
		}
		files++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, breach := range breaches(filepath.ToSlash(name), file) {
			t.Error(breach)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 2 {
		t.Errorf("looked at %d Go files: this test no longer sees the module", files)
	}
}

// notOfThisModule says whether the go command would leave the directory out.
func notOfThisModule(dir string) bool {
	base := filepath.Base(dir)
	if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// breaches lists what a file imports against the borders of its package, each
// as one sentence. The name is relative to the module, with slashes.
func breaches(name string, file *ast.File) []string {
	pkg, base := path.Dir(name), path.Base(name)
	b, known := borders[pkg]
	if !known {
		return []string{name + ": package " + pkg + " is not in borders: say there what it may import"}
	}
	test := strings.HasSuffix(base, "_test.go")
	if test && strings.HasSuffix(file.Name.Name, "_test") && pkg != "e2e" {
		return nil
	}
	var found []string
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			found = append(found, name+": "+err.Error())
			continue
		}
		if !b.allows(imported, base, test) {
			found = append(found, name+": package "+pkg+" may not import "+imported)
		}
	}
	return found
}

func (b border) allows(imported, file string, test bool) bool {
	if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
		return slices.Contains(b.ours, ours)
	}
	if test {
		return imported != module
	}
	first, _, _ := strings.Cut(imported, "/")
	if first != module && !strings.Contains(first, ".") {
		return imported != "C" && !covered(imported, b.never)
	}
	return covered(imported, b.libs) || covered(imported, b.inFile[file])
}

// covered says whether one of the patterns matches the package.
func covered(pkg string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		root, tree := strings.CutSuffix(pattern, "/...")
		return pkg == root || tree && strings.HasPrefix(pkg, root+"/")
	})
}

// TestImportsBites shows that the borders are kept, and from which side.
func TestImportsBites(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		file, src string
		want      []string
	}{
		"a library that is allowed": {
			"intent/text.go", `package intent; import "golang.org/x/text/unicode/norm"`, nil,
		},
		"its neighbour": {
			"intent/text.go", `package intent; import "golang.org/x/text/unicode"`,
			[]string{"intent/text.go: package intent may not import golang.org/x/text/unicode"},
		},
		"ours, upwards": {
			"policy/limit.go", `package policy; import ("counterfoil/intent"; "counterfoil/tools")`,
			[]string{"policy/limit.go: package policy may not import counterfoil/tools"},
		},
		"ours, below one that is allowed": {
			"store/ledger.go", `package store; import "counterfoil/intent/ledgertest"`,
			[]string{"store/ledger.go: package store may not import counterfoil/intent/ledgertest"},
		},
		"the wiring imports no test library of ours": {
			"cli/serve.go", `package cli; import "counterfoil/intent/ledgertest"`,
			[]string{"cli/serve.go: package cli may not import counterfoil/intent/ledgertest"},
		},
		"the environment, in the core": {
			"intent/engine.go", `package intent; import ("context"; "os")`,
			[]string{"intent/engine.go: package intent may not import os"},
		},
		"below a forbidden one": {
			"policy/limit.go", `package policy; import ("log/slog"; "net/http"; "io/fs")`,
			[]string{
				"policy/limit.go: package policy may not import log/slog",
				"policy/limit.go: package policy may not import net/http",
				"policy/limit.go: package policy may not import io/fs",
			},
		},
		"like a forbidden one, but another": {
			"intent/fact.go", `package intent; import ("io"; "slices"; "path")`, nil,
		},
		"the one file that may": {
			"tools/mcp.go", `package tools; import "github.com/mark3labs/mcp-go/mcp"`, nil,
		},
		"the file beside it": {
			"tools/refund.go", `package tools; import "github.com/mark3labs/mcp-go/mcp"`,
			[]string{"tools/refund.go: package tools may not import github.com/mark3labs/mcp-go/mcp"},
		},
		"a library below one that is allowed": {
			"store/open.go", `package store; import lib "modernc.org/sqlite/lib"`, nil,
		},
		"a module whose path only begins alike": {
			"store/open.go", `package store; import "modernc.org/sqlitex"`,
			[]string{"store/open.go: package store may not import modernc.org/sqlitex"},
		},
		"cgo": {
			"store/open.go", `package store; import "C"`,
			[]string{"store/open.go: package store may not import C"},
		},
		"a package without a row": {
			"util/strings.go", `package util`,
			[]string{"util/strings.go: package util is not in borders: say there what it may import"},
		},
		"an external test": {
			"intent/engine_test.go", `package intent_test; import ("counterfoil/store"; "os")`, nil,
		},
		"an internal test: any library, ours as the package": {
			"intent/engine_test.go", `package intent; import ("counterfoil/store"; "os"; "pgregory.net/rapid")`,
			[]string{"intent/engine_test.go: package intent may not import counterfoil/store"},
		},
		"e2e, from outside": {
			"e2e/demo_test.go", `package e2e_test; import ("counterfoil/intent"; "github.com/rogpeppe/go-internal/testscript")`,
			[]string{"e2e/demo_test.go: package e2e may not import counterfoil/intent"},
		},
		"main": {
			"main.go", `package main; import ("counterfoil/cli"; "counterfoil/server"; "os")`,
			[]string{"main.go: package . may not import counterfoil/server"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := parser.ParseFile(token.NewFileSet(), tt.file, tt.src, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			got := breaches(tt.file, file)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("breaches (-want +got):\n%s", diff)
			}
		})
	}
}

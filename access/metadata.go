package access

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// wellKnown is where RFC 9728 puts the metadata: before the resource's own path.
const wellKnown = "/.well-known/oauth-protected-resource"

var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)*$`)

// Metadata tells a client without a token where to get one (RFC 9728). It needs
// an issuer: the tokens of a file are given out by a person.
type Metadata struct {
	Resource string // the URL by which clients call this server
	Issuer   string
	Scopes   []string

	url, path string
	document  []byte
}

// NewMetadata is the metadata of the resource at a URL: https, or http on this
// machine.
func NewMetadata(resource, issuer string, scopes []string) (*Metadata, error) {
	u, err := secureURL(resource)
	if err != nil {
		return nil, err
	}
	own := strings.TrimSuffix(u.EscapedPath(), "/")
	if u.RawQuery != "" || u.ForceQuery || !plainPath.MatchString(own) || path.Clean("/"+own) != "/"+strings.TrimPrefix(own, "/") {
		return nil, fmt.Errorf("%q must have a plain path and no query", resource)
	}
	m := &Metadata{Resource: resource, Issuer: issuer, Scopes: scopes}
	m.path = wellKnown + own
	m.url = u.Scheme + "://" + u.Host + m.path
	m.document, err = json.Marshal(struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
		Methods  []string `json:"bearer_methods_supported"`
		Name     string   `json:"resource_name"`
	}{resource, []string{issuer}, scopes, []string{"header"}, "Counterfoil"})
	return m, err
}

// Host is the name by which clients call this server.
func (m *Metadata) Host() string {
	u, err := secureURL(m.Resource)
	if err != nil { // it was checked
		return ""
	}
	return u.Hostname()
}

// Path is where the metadata are served.
func (m *Metadata) Path() string { return m.path }

// ServeHTTP is the document.
func (m *Metadata) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(m.document)
}

package access_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"counterfoil/access"
)

const stranger = "is signed with a key that the issuer does not have"

// A key that is new is fetched when the first token names it, and what the
// issuer has withdrawn is found out within the hour.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := publish(t, public("old", rsaKey()))
	v := jwts(t, c, p)
	check := func(when, kid string, key any, want string, asked int) {
		t.Helper()
		alg := jose.RS256
		if key == any(curveKey()) {
			alg = jose.ES256
		}
		_, err := v.Verify(t.Context(), signed(t, alg, kid, key, claims(c, nil)))
		if got := why(err); got != want || p.times() != asked {
			t.Errorf("%s: got %q, asked %d times; want %q, %d", when, got, p.times(), want, asked)
		}
	}
	check("at first", "old", rsaKey(), "", 1)
	check("again", "old", rsaKey(), "", 1)
	p.rotate(public("old", rsaKey()), public("new", curveKey()))
	check("a moment after the last fetch", "new", curveKey(), stranger, 1)
	c.pass(10 * time.Second)
	check("rotated", "new", curveKey(), "", 2)
	check("the old one still", "old", rsaKey(), "", 2)

	// Whatever tokens name, the issuer is asked once in ten seconds.
	for _, kid := range []string{"x", "y", "z", "x"} {
		check("an unknown id", kid, otherKey(), stranger, 2)
	}
	c.pass(10 * time.Second)
	for _, kid := range []string{"x", "y", "z", "x"} {
		check("an unknown id, later", kid, otherKey(), stranger, 3)
	}

	// Withdrawn: nobody waits for the hourly fetch, so it counts once more.
	p.rotate(public("new", curveKey()))
	c.pass(time.Hour)
	if _, err := v.Verify(t.Context(), signed(t, jose.RS256, "old", rsaKey(), claims(c, nil))); err != nil {
		t.Errorf("while it is fetched: %v", err)
	}
	for begun := time.Now(); ; {
		_, err := v.Verify(t.Context(), signed(t, jose.RS256, "old", rsaKey(), claims(c, nil)))
		if why(err) == stranger {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("withdrawn: %v", err)
		}
	}
}

// Where nobody asked for long, whoever comes first waits: a key that was
// withdrawn since does not count once more.
func TestKeysWithdrawnWhileIdle(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := publish(t, public("old", rsaKey()))
	v := jwts(t, c, p)
	verify := func() string {
		_, err := v.Verify(t.Context(), signed(t, jose.RS256, "old", rsaKey(), claims(c, nil)))
		return why(err)
	}
	if got := verify(); got != "" {
		t.Fatal(got)
	}
	c.pass(2 * time.Hour)
	if got := verify(); got != "" || p.times() != 2 {
		t.Errorf("still there: %q, asked %d times", got, p.times())
	}
	p.rotate(public("new", curveKey()))
	c.pass(20 * time.Hour)
	if got := verify(); got != stranger || p.times() != 3 {
		t.Errorf("withdrawn: %q, asked %d times", got, p.times())
	}
}

// An issuer that cannot be asked refuses nobody whose key is known, for a day;
// and whose is not is told to come again, not that the token is wrong.
func TestKeysCannotBeHad(t *testing.T) {
	t.Parallel()
	tests := map[string]http.HandlerFunc{
		"a 500":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"a page":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"no keys": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) },
		"no end": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"keys":[]}` + strings.Repeat(" ", 1<<20)))
		},
		"breaks off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"keys"`))
		},
	}
	for name, serve := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			p := publish(t, public("r", rsaKey()))
			v := jwts(t, c, p)
			verify := func(kid string, key any) string {
				_, err := v.Verify(t.Context(), signed(t, jose.RS256, kid, key, claims(c, nil)))
				return why(err)
			}
			p.answer(nil, serve)
			const absent = "error: the issuer's keys cannot be had"
			if got := verify("r", rsaKey()); !strings.HasPrefix(got, absent) {
				t.Errorf("never had: %q", got)
			}
			if got := verify("r", rsaKey()); !strings.HasPrefix(got, absent) || p.times() != 1 {
				t.Errorf("again: %q, asked %d times", got, p.times())
			}
			p.rotate(public("r", rsaKey()))
			c.pass(10 * time.Second)
			if got := verify("r", rsaKey()); got != "" {
				t.Errorf("back: %q", got)
			}
			p.answer(nil, serve)
			c.pass(23 * time.Hour)
			if got := verify("r", rsaKey()); got != "" {
				t.Errorf("known: %q", got)
			}
			c.pass(10 * time.Second)
			if got := verify("x", otherKey()); !strings.HasPrefix(got, absent) {
				t.Errorf("not known: %q", got)
			}
			c.pass(time.Hour)
			if got := verify("r", rsaKey()); !strings.HasPrefix(got, absent) {
				t.Errorf("after a day: %q", got)
			}
		})
	}
}

// A redirect is not followed: it would let whoever can set one choose the keys.
func TestKeysRedirect(t *testing.T) {
	t.Parallel()
	c := newClock()
	evil := publish(t, public("r", otherKey()))
	p := publish(t)
	p.answer(nil, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, evil.URL, http.StatusFound) })
	_, err := jwts(t, c, p).Verify(t.Context(), signed(t, jose.RS256, "r", otherKey(), claims(c, nil)))
	if got := why(err); !strings.Contains(got, "it answers 302") || evil.times() != 0 {
		t.Errorf("got %q, asked there %d times", got, evil.times())
	}
}

// Many calls wait for one fetch, and who goes away does not end it.
func TestKeysFetchedOnce(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := publish(t)
	asked, answer := make(chan struct{}), make(chan struct{})
	var once sync.Once
	body := publish(t, public("r", rsaKey())).text
	p.answer(nil, func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { close(asked) })
		<-answer
		_, _ = w.Write(body)
	})
	v := jwts(t, c, p)
	token := signed(t, jose.RS256, "r", rsaKey(), claims(c, nil))
	leaving, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { _, err := v.Verify(leaving, token); gone <- err }()
	<-asked
	leave()
	if err := <-gone; why(err) != "error: context canceled" {
		t.Errorf("who left got %v", err)
	}
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() {
			if _, err := v.Verify(t.Context(), token); err != nil {
				t.Error(err)
			}
		})
	}
	close(answer)
	waiting.Wait()
	if n := p.times(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestKeysAddress(t *testing.T) {
	t.Parallel()
	for address, fine := range map[string]bool{
		"https://login.example.com/keys": true, "http://127.0.0.1:80/keys": true, "http://localhost/": true, "http://[::1]/": true,
		"http://login.example.com/keys": false, "http://192.0.2.1/": false, "http://localhost.example.com/": false, "http://127.0.0.1.example.com/": false,
		"ftp://127.0.0.1/": false, "file:///etc/keys": false, "login.example.com/keys": false, "": false, "https://": false,
		"https://name:word@login.example.com/": false, "https://login.example.com/#x": false,
	} {
		if _, err := access.NewRemoteKeys(address, time.Now, nil); (err == nil) != fine {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A token that names no key is tried with every one, so there are not to be any
// number.
func TestKeysTooMany(t *testing.T) {
	t.Parallel()
	c := newClock()
	for n, says := range map[int]string{64: "", 65: "65 keys"} {
		keys := make([]jose.JSONWebKey, n)
		for i := range keys {
			keys[i] = public("r", rsaKey())
		}
		_, err := jwts(t, c, publish(t, keys...)).Verify(t.Context(), signed(t, jose.RS256, "r", rsaKey(), claims(c, nil)))
		if got := why(err); !strings.Contains(got, says) || (got == "") != (says == "") {
			t.Errorf("%d keys: %q", n, got)
		}
	}
}

func TestKeysCount(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := publish(t, public("r", rsaKey()), public("e", curveKey()), jose.JSONWebKey{KeyID: "s", Key: []byte("shared")})
	keys, err := access.NewRemoteKeys(p.URL, c.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := keys.Count(t.Context()); n != 2 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	empty, err := access.NewRemoteKeys(publish(t).URL, c.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := empty.Count(t.Context()); n != 0 || err != nil {
		t.Errorf("none published: %d, %v", n, err)
	}
	down := httptest.NewServer(nil)
	down.Close()
	dead, err := access.NewRemoteKeys(down.URL, c.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dead.Count(t.Context()); err == nil {
		t.Error("nobody listens, and yet it counts")
	}
}

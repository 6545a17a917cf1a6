package cli

import (
	"context"
	"os"
	"runtime"
	"strings"
	"time"

	"counterfoil/access"
)

// doorFindings say who may call over HTTP.
func doorFindings(ctx context.Context, w *works) []finding {
	found := []finding{tokensFinding(w.cfg, w.now())}
	if w.cfg.http.jwt != nil {
		found = append(found, issuerFinding(ctx, w))
	}
	return found
}

// tokensFinding looks at the file of tokens, as a server over HTTP would.
func tokensFinding(cfg config, now time.Time) finding {
	const check = "tokens"
	const add = "make one with: counterfoil token add NAME --classes read"
	path := cfg.tokensFile()
	list, err := access.NewTokens(path, func() time.Time { return now }).List()
	if err != nil {
		return wrong(check, "put it back from a backup, or remove it and make new tokens", "%v; nobody who shows one is let in", err)
	}
	var expired []string
	for _, t := range list {
		if t.Expired(now) {
			expired = append(expired, t.ID)
		}
	}
	valid := len(list) - len(expired)
	asked := cfg.http.jwt == nil && (cfg.http.requireToken || len(cfg.http.hosts) > 0)
	open := openToOthers(path)
	switch {
	case asked && valid == 0:
		return wrong(check, add, "the configuration asks callers over HTTP for one, and nobody has any")
	case open&0o022 != 0:
		return wrong(check, "chmod 600 "+path, "others may write to %s, and so let themselves in", path)
	case open != 0:
		return warns(check, "chmod 600 "+path, "others may read %s", path)
	case len(expired) > 0:
		return warns(check, "counterfoil token revoke "+expired[0], "%s expired: %s", countedAs(len(expired), "token has", "tokens have"), strings.Join(expired, ", "))
	case len(list) == 0:
		return fine(check, "none; over HTTP only this machine may call")
	}
	return fine(check, "%s", countedAs(valid, "token counts", "tokens count"))
}

// openToOthers are those bits of a file's mode that let in more than its owner.
func openToOthers(path string) os.FileMode {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" {
		return 0
	}
	return info.Mode().Perm() & 0o077
}

// issuerFinding fetches the issuer's keys, as a server over HTTP would.
func issuerFinding(ctx context.Context, w *works) finding {
	const check = "issuer's keys"
	jwt := w.cfg.http.jwt
	from := jwt.jwksURL + jwt.jwksFile
	keys, err := jwt.keys(w.now, nil)
	n := 0
	if err == nil {
		n, err = keys.Count(ctx)
	}
	switch {
	case err != nil:
		return wrong(check, "see that the issuer is up, and that this machine may reach it; until then its tokens are answered 503", "%v", err)
	case n == 0:
		return wrong(check, "name the issuer's JWKS", "%s holds no key that could sign a token", from)
	}
	return fine(check, "%s at %s", counted(n, "key"), from)
}

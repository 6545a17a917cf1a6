package desktop

import (
	"regexp"
	"strings"
)

// AddCommand is the line that makes the client's own command line add the
// server, for a POSIX shell or PowerShell; empty where it is not known to.
func (c Client) AddCommand(s Server, os string) string {
	if !c.adds {
		return ""
	}
	words := []string{"claude", "mcp", "add", "--scope", "user", "--transport"}
	switch s := s.(type) {
	case Local:
		words = append(words, "stdio", Name, "--", s.Command)
		words = append(words, s.Args...)
	case Remote:
		words = append(words, "http", Name, s.URL)
		if s.TokenEnv != "" {
			words = append(words, "--header", "Authorization: "+c.bearer(s))
		}
	}
	for i, word := range words {
		words[i] = shellWord(word, os)
	}
	return strings.Join(words, " ")
}

// What stays one word without quotes. PowerShell makes a list of what has a
// comma, and reads an @ as its own.
var (
	plainWord       = regexp.MustCompile(`^[\w%+,./:=@-]+$`)
	plainPowerShell = regexp.MustCompile(`^[\w%+./:=\\-]+$`)
)

// shellWord is a word that the shell hands on as it is.
func shellWord(word, os string) string {
	switch {
	case os == windows && plainPowerShell.MatchString(word):
		return word
	case os == windows:
		return "'" + strings.ReplaceAll(word, "'", "''") + "'"
	case plainWord.MatchString(word):
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

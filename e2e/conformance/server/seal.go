package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

var errForged = errors.New("the request state is not one that this server gave")

// seal keeps a round in a state that its client cannot change.
type seal struct {
	tool string
	key  [32]byte
}

func newSeal(tool string) *seal {
	s := &seal{tool: tool}
	_, _ = rand.Read(s.key[:]) // it never fails
	return s
}

func (s *seal) close(round int) string {
	text := strconv.Itoa(round)
	return text + "." + s.sum(text)
}

func (s *seal) open(state string) (round int, err error) {
	text, sum, _ := strings.Cut(state, ".")
	if !hmac.Equal([]byte(sum), []byte(s.sum(text))) {
		return 0, errForged
	}
	return strconv.Atoi(text)
}

func (s *seal) sum(text string) string {
	mac := hmac.New(sha256.New, s.key[:])
	mac.Write([]byte(s.tool + " " + text))
	return hex.EncodeToString(mac.Sum(nil))
}

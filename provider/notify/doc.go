// Package notify tells a person of an escalation where no desk takes it: by a
// signed webhook, and by mail. A notification bears the key of its escalation,
// under which a receiver drops a repeat: one whose answer was lost is sent again.
//
// # The webhook
//
// It is a POST with a [Notification] as its JSON body and these headers:
//
//	Idempotency-Key: cf1_…                  the escalation's key, and the body's id
//	Counterfoil-Signature: t=1773757927,v1=acd2a5…
//
// t is when it was signed, in seconds since 1970. v1 is the HMAC-SHA256, in
// lower-case hexadecimal, of t, a full stop and the body, under the secret that
// both sides share. Any 2xx means that a person is being told; everything else,
// redirects too, has it sent again.
//
// A receiver
//
//  1. takes the body as the bytes that came, before it parses them;
//  2. computes the HMAC-SHA256 of t + "." + body under the secret;
//  3. compares it with v1 in constant time;
//  4. refuses a t that is more than five minutes away from its own clock, so that
//     a notification that was overheard cannot be played back later;
//  5. answers 200 to an id that it has had before, and tells nobody again.
//
// In a shell, steps 2 and 3 without the constant time:
//
//	printf '%s.%s' "$t" "$body" | openssl dgst -sha256 -hmac "$secret"
//
// In Go, steps 2 to 4 are [Verify].
package notify

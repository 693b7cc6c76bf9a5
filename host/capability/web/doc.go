// Package web makes HTTP requests for guests, each to an endpoint that a person
// granted. It decides nothing about grants: it keeps a request within the
// endpoint that it was given.
//
// # From the attacker's side
//
// Who attacks: a plugin that wants to reach more than its endpoint, or to learn
// the secrets that the host sends for it; the server, which answers; and whoever
// answers questions about the server's name.
//
//   - Leave the endpoint by the path ("../users", "%2e%2e", "%252e", "..;x",
//     backslashes, NUL): a guest gives segments, the host escapes them, and a
//     segment that is nothing but dots and blanks, empty, or not printable,
//     decoded up to twice, is refused before anything is sent.
//   - Leave it by a redirect: only those of GET and HEAD are followed, five at
//     most, with the same method, within the origin and the base path. Another
//     is a failure that says so; a redirect of another method is handed to the
//     guest as it is.
//   - Leave it by DNS, also by a name that changes its address between two
//     requests: the address is checked when a socket connects to it, whatever
//     said it. Loopback, private, unique local and carrier-grade addresses are
//     for endpoints whose base the user gave, in the environment or the
//     configuration; link-local addresses and the metadata services of clouds
//     for a user's base that is this very address; multicast, reserved and
//     documentation ranges for none. An IPv6 address that embeds an IPv4 address
//     (mapped, NAT64, 6to4) is classified by the latter. No proxy of the environment is used.
//   - Put headers in: a guest sets a dozen names and no others, their values hold no
//     control characters, and what the endpoint sets cannot be set again.
//     Queries of a read-only call cannot override the method.
//   - Learn a secret: the host puts it into a header of the endpoint's own, over
//     the endpoint's connections alone. What an answer or an error repeats of it
//     is taken out before anyone sees it: plain, escaped for URLs or JSON, or in
//     base64 at any offset. A server that encodes it otherwise (reversed,
//     encrypted, cut in pieces) still gives it away: grant a secret to a server
//     that is trusted with it. A base is no secret: its origin is shown, and what
//     a server says of its path is not taken out.
//   - Wear the host out: an answer has 64 KiB of headers and 8 MiB of body,
//     decompressed; the compressed bytes are bounded, too. The caller's context
//     bounds all of it in time, headers, redirects and events without end
//     included. At most 32 connections an endpoint, others wait.
//   - Have a request made twice: net/http repeats GET and HEAD on a kept
//     connection that the server dropped, and requests of which nothing was
//     sent, or which an HTTP/2 server declares not begun. There is no other
//     repetition; [Failure.Sent] says whether a request may have taken effect.
//   - Listen in: TLS 1.2 or later, verified against the system's roots or the
//     configured ones. A base without TLS is the user's own choice; a manifest
//     cannot make it.
//
// net/http prints what a server sends after its answer through the standard
// logger of package log. A program that uses this package passes that logger's
// output through a [Redactor] as well.
package web

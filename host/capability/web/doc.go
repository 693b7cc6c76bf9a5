// Package web makes HTTP requests for guests, each to an endpoint that a person granted. It does not know about grants:
// it keeps a request within its endpoint.
//
// # Threats
//
// The attacker is a plugin that wants to reach more than its endpoint or to learn the secrets that the host sends for
// it; the server that answers; or whoever controls the DNS of the server's name.
//   - Leaving the endpoint by path ("../users", "%2e%2e", "%252e", "..;x", backslashes, NUL): a guest passes segments,
//     which the host escapes. A segment that is empty, not printable, or only dots and blanks, decoded up to twice, is
//     refused before anything is sent.
//   - Leaving it by redirect: only redirects of GET and HEAD are followed, at most five, with the same method, within the
//     origin and the base path. Others are a failure that says so; a redirect of another method is returned to the guest.
//   - Leaving it by DNS, including a name that changes its address between two requests: the address is checked when a
//     socket connects to it, wherever it came from. Loopback, private, unique local and carrier-grade addresses are for
//     endpoints whose base the user set, in the environment or the configuration; link-local addresses and clouds' metadata
//     services only for a user's base that is that very address; multicast, reserved and documentation ranges for none. An
//     IPv6 address that embeds an IPv4 address (mapped, NAT64, 6to4) is classified by the latter. No proxy of the
//     environment is used.
//   - Injecting headers: a guest sets a dozen names and no others, values have no control characters, and a guest cannot
//     set a header of the endpoint. Queries of a read-only call cannot override the method.
//   - Learning a secret: the host puts it into a header of the endpoint, on the endpoint's connections only. If a response
//     or an error repeats it, it is removed before anyone sees it: plain, escaped for URLs or JSON, or in base64 at any
//     offset. A server that encodes it differently (reversed, encrypted, in pieces) can still reveal it: grant a secret
//     only to a server that may have it. A base is not a secret: its origin is displayed, and what a server says of its
//     path is not removed.
//   - Exhausting the host: a response has at most 64 KiB of headers and 8 MiB of body, decompressed; the compressed bytes
//     are limited, too. The caller's context limits the total time, including endless headers, redirects and event
//     streams. An endpoint has at most 32 connections; further requests wait.
//   - Repeating a request: net/http repeats GET and HEAD on a kept connection that the server closed, requests of which
//     nothing was sent, and requests that an HTTP/2 server declares not started. Nothing else is repeated; [Failure.Sent]
//     says whether a request may have taken effect.
//   - Eavesdropping: TLS 1.2 or later, verified against the system's roots or the configured ones. Only the user can choose
//     a base without TLS, never a manifest.
//
// net/http prints what a server sends after its response through the standard logger of package log. A program that
// uses this package must pass that logger's output through a [Redactor] as well.
package web

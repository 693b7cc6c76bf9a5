// Package oauth checks the access tokens of a resource server: JSON Web Tokens
// (RFC 9068) that one of its issuers signed for it. The keys of an issuer are
// found through its metadata (RFC 8414, or OpenID Connect discovery), kept, and
// fetched again now and then and when a token names a key that is not among them.
//
// What a token says of where keys are (jku, x5u, jwk, x5c) is never used.
package oauth

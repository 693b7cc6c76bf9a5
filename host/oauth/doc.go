// Package oauth checks the access tokens of a resource server: JSON Web Tokens (RFC 9068) that one of its issuers has
// signed for it. It finds the keys of an issuer through the issuer's metadata (RFC 8414, or OpenID Connect discovery),
// caches them, and fetches them again from time to time and when a token names an unknown key. References to keys in a
// token (jku, x5u, jwk, x5c) are never used.
package oauth

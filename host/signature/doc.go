// Package signature checks who signed a module, with minisign or with cosign and a key.
//
// It trusts keys only. It does not check signatures by certificates (keyless cosign), nor transparency logs.
package signature

// Package signature checks who signed a module: by minisign, or by cosign with a key.
//
// What is checked is the key alone. Signatures that stand on certificates (cosign without a key) are not, and no log of transparency is asked.
package signature

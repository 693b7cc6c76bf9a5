// Package source fetches modules, with their signatures, from where a person names them: a file, an https URL, or an
// OCI registry. It does not run or trust them.
//
// Downloads are limited in size and time. They use https; plain http is for this machine only, unless a person allows
// it. That includes redirects and the token servers of registries. Names that servers provide, such as titles of
// layers, never become file names.
package source

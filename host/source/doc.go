// Package source gets modules, with what is signed of them, from where a person names them: a file, an https address, a registry of OCI
// artifacts. Nothing of a module is run or believed here.
//
// What others serve is bounded in size and time. It comes by https; plain http is for this machine alone, or where a person says so, also
// behind redirects and for the tokens of registries. Names that others give, such as titles of layers, are never names of files.
package source

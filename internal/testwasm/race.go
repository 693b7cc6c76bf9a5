//go:build race

package testwasm

const race = true

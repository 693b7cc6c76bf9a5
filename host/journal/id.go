package journal

import (
	"crypto/rand"
	"strings"
)

// NewKey returns a random key of 26 lower-case letters and digits (130 bits), which no other journal has.
func NewKey() string { return strings.ToLower(rand.Text()) }

// ID is the ID of the journal that an owner creates with a key. Whoever knows both can find the journal, and nobody can
// find another owner's.
func ID(owner, key string) string { return tag(owner) + key }

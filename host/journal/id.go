package journal

import (
	"crypto/rand"
	"strings"
)

// NewKey is a key that no other journal has: 26 lower-case letters and digits, 130 random bits.
func NewKey() string { return strings.ToLower(rand.Text()) }

// ID is the ID of the journal that is created for an owner with a key. A store derives it, so that whoever knows both finds the journal,
// and nobody finds another owner's.
func ID(owner, key string) string { return tag(owner) + key }

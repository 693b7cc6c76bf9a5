//go:build !race

package plugin_test

const raced = false

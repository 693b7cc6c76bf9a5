package files

import (
	"io/fs"
	"syscall"
)

// IdentityOf returns the identity of the file that info describes.
func IdentityOf(info fs.FileInfo) Identity {
	id := Identity{Size: info.Size(), Written: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Changed, id.Device, id.Number = st.Ctim.Nano(), uint64(st.Dev), st.Ino
	}
	return id
}

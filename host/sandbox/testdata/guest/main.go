//go:build wasip1

// A guest that does, on request, what honest and hostile plugins do.
package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/extism/go-pdk"
)

func main() {}

var kept [][]byte

//go:wasmimport fcp:host/env input_read
func inputRead(ptr unsafe.Pointer, n, off uint32) uint32

//go:wasmimport fcp:host/env output_write
func outputWrite(ptr unsafe.Pointer, n uint32)

//go:wasmimport extism:host/env input_length
func inputLength() uint64

//go:wasmexport echo
func echo() int32 {
	defer runtime.Gosched()
	pdk.Output(pdk.Input())
	return 0
}

//go:wasmexport echo_bulk
func echoBulk() int32 {
	defer runtime.Gosched()
	n := inputLength()
	if n == 0 {
		return 0
	}
	b := make([]byte, n)
	if got := inputRead(unsafe.Pointer(&b[0]), uint32(n), 0); uint64(got) != n {
		return 1
	}
	outputWrite(unsafe.Pointer(&b[0]), uint32(n))
	return 0
}

//go:wasmexport allocate
func allocate() int32 {
	for {
		b := make([]byte, 1<<20)
		for i := range b {
			b[i] = byte(i)
		}
		kept = append(kept, b)
	}
}

//go:wasmexport keep
func keep() int32 {
	b := make([]byte, 1<<20)
	for i := range b {
		b[i] = 1
	}
	kept = append(kept, b)
	return 0
}

//go:wasmexport spin
func spin() int32 {
	n := 0
	for {
		n++
		if n == -1 {
			return int32(n)
		}
	}
}

//go:wasmexport panics
func panics() int32 { panic("the guest gave up") }

//go:wasmexport exits
func exits() int32 { os.Exit(3); return 0 }

func down(n int, b *[1024]byte) int {
	var c [1024]byte
	c[n%1024] = b[0]
	return down(n+1, &c) + int(c[1])
}

//go:wasmexport recurses
func recurses() int32 { return int32(down(0, &[1024]byte{})) }

//go:wasmexport sleeps
func sleeps() int32 {
	start := time.Now()
	time.Sleep(time.Hour)
	pdk.OutputString(time.Since(start).Round(time.Minute).String())
	return 0
}

//go:wasmexport floods
func floods() int32 {
	line := strings.Repeat("x", 5000)
	for i := range 5000 {
		pdk.Log(pdk.LogInfo, fmt.Sprint(i, " ", line))
		fmt.Fprintln(os.Stderr, i)
		fmt.Println(`{"jsonrpc":"2.0"}`)
	}
	return 0
}

//go:wasmexport says
func says() int32 {
	pdk.Log(pdk.LogWarn, "from the guest: "+pdk.InputString())
	return 0
}

//go:wasmexport refuses
func refuses() int32 {
	pdk.SetError(errors.New(pdk.InputString()))
	return 1
}

//go:wasmexport refuses_with_zero
func refusesWithZero() int32 {
	pdk.SetErrorString("rc was zero")
	return 0
}

//go:wasmexport refuses_silently
func refusesSilently() int32 { return 7 }

//go:wasmexport big_error
func bigError() int32 {
	pdk.SetErrorString(strings.Repeat("\x1b[31mbad\n", 1<<17))
	return 1
}

//go:wasmexport system
func system() int32 {
	n, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		pdk.SetError(err)
		return 1
	}
	_, fileErr := os.ReadFile("/etc/passwd")
	pdk.OutputString(fmt.Sprint(n, " ", time.Now().UTC().Format(time.RFC3339), " ", len(os.Args), " ", len(os.Environ()), " ", fileErr != nil))
	return 0
}

//go:wasmexport variable
func variable() int32 {
	if pdk.GetVar("x") != nil {
		return 1
	}
	pdk.SetVar("x", []byte("y"))
	return 0
}

//go:wasmexport http
func http() int32 {
	pdk.NewHTTPRequest(pdk.MethodGet, "http://169.254.169.254/").Send()
	return 0
}

//go:wasmexport config
func config() int32 {
	if _, ok := pdk.GetConfig("HOME"); ok {
		return 1
	}
	return 0
}

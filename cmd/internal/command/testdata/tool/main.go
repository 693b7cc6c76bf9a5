// Command tool replaces ffmpeg and ffprobe in tests. As ffmpeg it writes to the file that its last argument names; the length of
// the film selects what it does (1.001 s: run until it is killed, 1.003 s: fail halfway). As ffprobe it prints when it was called.
// If its last argument is attack:FILE,ADDRESS, it tries to leave its cage.
package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	line := strings.Join(os.Args[1:], " ")
	last := os.Args[len(os.Args)-1]
	switch rest, attacks := strings.CutPrefix(last, "attack:"); {
	case attacks:
		attack(rest)
	case strings.Contains(line, "-show_format"):
		probe(last)
	case strings.Contains(line, "duration=1.001:") || strings.HasSuffix(line, "duration=1.001 -y "+last):
		printProgress(334)
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		time.Sleep(time.Hour)
	case strings.HasSuffix(line, "duration=1.003 -y "+last):
		write(last, "half a film")
		fmt.Fprintln(os.Stderr, "no more film")
		os.Exit(3)
	default:
		printProgress(500)
		write(last, "a film")
	}
}

// printProgress prints how much of the film is done, as ffmpeg does.
func printProgress(ms int) { fmt.Printf("out_time_us=%d\nprogress=continue\n", ms*1000) }

func write(path, text string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func probe(input string) {
	data, err := os.ReadFile(input)
	if err != nil || strings.HasPrefix(string(data), "not media") {
		fmt.Fprintf(os.Stderr, "%s: Invalid data found when processing input\n", input)
		os.Exit(1)
	}
	fmt.Printf(`{"asked":%d,"bytes":%d}`, time.Now().UnixNano(), len(data))
}

// attack attempts forbidden operations, and prints those that succeeded, or "nothing".
func attack(words string) {
	secret, address, _ := strings.Cut(words, ",")
	var did []string
	try := func(what string, err error) {
		if err == nil {
			did = append(did, what)
		}
	}
	read := func(path string) {
		_, err := os.ReadFile(path)
		try("read "+path, err)
	}
	for _, path := range []string{"/etc/passwd", "/etc/hostname", secret, "/proc/1/environ", fmt.Sprintf("/proc/%d/environ", os.Getppid())} {
		read(path)
	}
	_, err := os.ReadDir("/")
	try("list /", err)
	_, err = net.DialTimeout("tcp", address, time.Second)
	try("connect", err)
	_, err = net.Listen("unix", "./socket")
	try("listen", err)
	try("start a process", exec.Command("/bin/true").Run())
	self, _ := os.Executable()
	try("start itself", exec.Command(self).Run())
	for _, path := range []string{"beside", "../beside", "/tmp/fcp-beside", secret} {
		try("write "+path, os.WriteFile(path, []byte("x"), 0o600))
	}
	try("make a folder", os.Mkdir("folder", 0o700))
	try("make a link", os.Symlink("/etc/passwd", "out1.mp4"))
	try("signal its parent", syscall.Kill(os.Getppid(), 0))
	if n := len(os.Environ()); n > 0 {
		did = append(did, fmt.Sprintf("see %d variables", n))
	}
	if len(did) == 0 {
		did = []string{"nothing"}
	}
	fmt.Print("did: " + strings.Join(did, "; "))
}

package command

import (
	"os"

	"golang.org/x/sys/windows"
)

func isConsole(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}

// rawTerminal makes the console deliver each key at once and without echo, and interpret escape sequences written to it,
// until restore is called.
func rawTerminal(in, out *os.File) (restore func(), err error) {
	var keys, screen uint32
	from, to := windows.Handle(in.Fd()), windows.Handle(out.Fd())
	if err := windows.GetConsoleMode(from, &keys); err != nil {
		return nil, err
	}
	if err := windows.GetConsoleMode(to, &screen); err != nil {
		return nil, err
	}
	restore = func() {
		windows.SetConsoleMode(from, keys)
		windows.SetConsoleMode(to, screen)
	}
	raw := keys&^(windows.ENABLE_LINE_INPUT|windows.ENABLE_ECHO_INPUT|windows.ENABLE_PROCESSED_INPUT) | windows.ENABLE_VIRTUAL_TERMINAL_INPUT
	err = windows.SetConsoleMode(from, raw)
	if err == nil {
		err = windows.SetConsoleMode(to, screen|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
	if err != nil {
		restore()
		return nil, err
	}
	return restore, nil
}

// terminalRows returns the height of a console in lines, 0 if it is unknown.
func terminalRows(out *os.File) int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(out.Fd()), &info) != nil {
		return 0
	}
	return int(info.Window.Bottom-info.Window.Top) + 1
}

package sandbox

import "github.com/fcp-host/fcp-host/host/sandbox/internal/fail"

// Error is a failure of one plugin.
type Error = fail.Error

// Kind says how a call or a start failed.
type Kind = fail.Kind

// The kinds of failure. Every kind but KindRefused and KindInput means that the instance is gone.
const (
	KindRefused       = fail.Refused       // the guest itself refused, by a non-zero result or error_set; the message is its own text
	KindInput         = fail.Input         // the caller named an export that does not exist, or its input was over the limit
	KindTrap          = fail.Trap          // the guest trapped, or passed invalid arguments to a host function
	KindStackOverflow = fail.StackOverflow // the guest's calls nested too deeply
	KindMemory        = fail.Memory        // the guest or its worker needed more memory than its limit
	KindDeadline      = fail.Deadline      // the call used too much processor time and the worker was killed
	KindExit          = fail.Exit          // the guest called proc_exit, as a Go guest does after a panic
	KindOutput        = fail.Output        // the output was over the limit
	KindLoad          = fail.Load          // the module did not compile, instantiate or initialise
	KindLost          = fail.Lost          // the instance no longer exists: its worker died, it failed in an earlier call, or it was closed
	KindWorker        = fail.Worker        // the worker did not start, got no module, or broke the frame protocol
	KindDisabled      = fail.Disabled      // the worker died too often; Plugin.Enable lets it start again
	KindCrowded       = fail.Crowded       // the workers of all plugins needed more memory than their common limit
	KindStalled       = fail.Stalled       // the call did not end within Limits.Wall and the worker was killed, though it used less processor time than it may
)

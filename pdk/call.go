package pdk

import (
	"errors"
	"iter"

	"github.com/fcp-host/fcp-host/abi"
)

// ErrAsks is the error of an export that asks the host: its output is
// abi.Requests. Pass the outcomes to abi.ExportResume.
var ErrAsks = errors.New("it asks for something, which needs a newer fcp-host")

// call is a running export that may ask. It runs on a coroutine, which is
// suspended while the host works.
type call struct {
	next    func() (requests []byte, asks bool)
	yield   func(requests []byte) bool
	results []abi.Outcome // of the latest requests

	answer []byte
	err    error
}

// begin prepares a call of f, which starts when next is called.
func begin(f func() ([]byte, error)) *call {
	c := &call{}
	c.next, _ = iter.Pull(func(yield func([]byte) bool) {
		c.yield = yield
		c.answer, c.err = f()
	})
	return c
}

// ask passes requests to the host and waits for their outcomes. It runs on the
// call's coroutine.
func (c *call) ask(requests []abi.Request) ([]abi.Outcome, error) {
	data, err := abi.Marshal(&abi.Requests{Requests: requests})
	if err != nil {
		return nil, err
	}
	c.yield(data)
	if len(c.results) != len(requests) {
		return nil, Errorf("the host gave %d results for %d requests", len(c.results), len(requests))
	}
	return c.results, nil
}

// resume passes the outcomes to the call that waits for them.
func (in *Instance[M]) resume(input []byte) ([]byte, error) {
	var r abi.ResumeRequest
	if err := abi.Unmarshal(input, &r); err != nil {
		return nil, Errorf("the request is not a valid message: %v", err)
	}
	if in.call == nil {
		return nil, Errorf("this instance asked for nothing")
	}
	in.call.results = r.Results
	return in.proceed()
}

// proceed runs the call until it asks or ends.
func (in *Instance[M]) proceed() ([]byte, error) {
	c := in.call
	if requests, asks := c.next(); asks {
		return requests, ErrAsks
	}
	in.call = nil
	return c.answer, c.err
}

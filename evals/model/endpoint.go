package model

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxTries  = 6
	maxPause  = time.Minute      // between two tries
	maxAnswer = 64 << 20         // bytes of a response
	maxWait   = 10 * time.Minute // for one response
)

// endpoint is the address of an API.
type endpoint struct {
	url, key string
	client   *http.Client
}

// newEndpoint reads NAME_BASE_URL and NAME_API_KEY.
func newEndpoint(getenv func(string) string, name, url string) endpoint {
	url = cmp.Or(getenv(name+"_BASE_URL"), url)
	return endpoint{strings.TrimSuffix(url, "/"), getenv(name + "_API_KEY"), &http.Client{Timeout: maxWait}}
}

// post sends a request as JSON and decodes the response. It tries again, with growing pauses, if the API is busy or fails
// (429, 5xx), or cannot be reached.
func (e endpoint) post(ctx context.Context, path string, header map[string]string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	pause := time.Second
	for try := 1; ; try++ {
		after, again, err := e.once(ctx, path, header, body, out)
		if err == nil {
			return nil
		}
		if !again || try == maxTries {
			return err
		}
		if after < 0 {
			after, pause = pause, 2*pause
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(after, maxPause)):
		}
	}
}

// once sends a request once. If it fails, again says whether to try again, and after when, as the API asks for it; -1 if it does
// not.
func (e endpoint) once(ctx context.Context, path string, header map[string]string, body []byte, out any) (after time.Duration, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+path, bytes.NewReader(body))
	if err != nil {
		return -1, false, err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := e.client.Do(req)
	if err != nil {
		return -1, ctx.Err() == nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return -1, ctx.Err() == nil, err
	}
	if res.StatusCode != http.StatusOK {
		after = -1
		if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && n >= 0 {
			after = time.Duration(n) * time.Second
		}
		again = res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500
		return after, again, fmt.Errorf("%s answers %s: %.500s", e.url, res.Status, data)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return -1, false, fmt.Errorf("%s answers with something else than JSON: %w", e.url, err)
	}
	return 0, false, nil
}

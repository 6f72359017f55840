package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// web is serve's HTTP server: /healthz and /metrics for all on the address, /internal for commands that know the token.
type web struct {
	listener net.Listener
	server   *http.Server
	token    string
}

func newWeb(address string, local *localHouse, m *metrics) (*web, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s for HTTP: %w", address, err)
	}
	w := &web{listener: listener, token: rand.Text()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprintln(rw, "ok") })
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.Handle("POST /internal/report", w.guarded(answer(local.report)))
	mux.Handle("POST /internal/snapshot", w.guarded(answer(local.takeSnapshot)))
	mux.Handle("POST /internal/verify", w.guarded(answer(local.verify)))
	mux.Handle("POST /internal/seal", w.guarded(answer(local.seal)))
	mux.Handle("POST /internal/drop-seal", w.guarded(answer(local.dropSeal)))
	mux.Handle("POST /internal/import-prices", w.guarded(answer(local.importPrices)))
	mux.Handle("POST /internal/change-prices", w.guarded(answer(local.changePrices)))
	mux.Handle("POST /internal/jobs", w.guarded(answer(local.jobs)))
	w.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, MaxHeaderBytes: 1 << 16}
	return w, nil
}

func (w *web) address() string { return w.listener.Addr().String() }

// run serves until ctx ends.
func (w *web) run(ctx context.Context) error {
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		w.server.Shutdown(last)
	}()
	if err := w.server.Serve(w.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("the HTTP server on %s failed: %w", w.address(), err)
	}
	return nil
}

// guarded lets in who shows the token.
func (w *web) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+w.token)) != 1 {
			http.Error(rw, "this address is for commands on the same data directory", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

const maxBody = 1 << 20

// answer turns a function into a handler: JSON in, JSON out, an error as text with status 422.
func answer[In, Out any](f func(context.Context, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(http.MaxBytesReader(rw, r.Body, maxBody)).Decode(&in); err != nil {
			http.Error(rw, "cannot read the request: "+err.Error(), http.StatusBadRequest)
			return
		}
		out, err := f(r.Context(), in)
		if err != nil {
			http.Error(rw, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		json.NewEncoder(rw).Encode(out)
	})
}

package main

import (
	"context"
	"fmt"
	"log/slog"
)

type verifyCommand struct{}

func (verifyCommand) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	v, err := h.verify(ctx, none{})
	if err != nil {
		return err
	}
	fmt.Fprint(p.stdout, v.Text)
	if !v.Held {
		return errBroken
	}
	return nil
}

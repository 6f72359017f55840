package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// exportCommand writes what other tools read.
type exportCommand struct {
	Focus    exportFocus    `cmd:"" help:"Write costs as FOCUS 1.2 rows with the split cost allocation of 1.3 (report focus)."`
	Snapshot exportSnapshot `cmd:"" help:"Write the database with its views and macros into one file, for notebooks and other programs."`
}

type exportFocus struct {
	From        string `help:"Start of the range, UTC, inclusive, in whole quarters of an hour. Default: that of the seal, else of all." placeholder:"TIME"`
	To          string `help:"End of the range, UTC, exclusive. Default: that of the seal, else of all." placeholder:"TIME"`
	Output      string `required:"" help:"File to write to." short:"o" placeholder:"FILE"`
	By          string `help:"Who used GPU time is allocated to: model or tenant." enum:"model,tenant" default:"model"`
	Rows        string `help:"all, origin (the bill) or allocated (its split): the cost columns of all count everything twice." enum:"all,origin,allocated" default:"all"`
	Account     string `help:"BillingAccountId." default:"inferlake" placeholder:"ID"`
	Provider    string `help:"ProviderName, PublisherName and InvoiceIssuerName." default:"own" placeholder:"NAME"`
	AsOf        string `help:"As of a seal (inferlake seal), and of its period." placeholder:"SEAL"`
	Corrections string `help:"Only what changed since this seal in its period, as rows of ChargeClass Correction (report focus_corrections)." placeholder:"SEAL"`
}

// Run writes the file, after it passed the rules of verify focus.
func (c *exportFocus) Run(ctx context.Context, p program, log *slog.Logger, data folder) error {
	h, done, err := data.open(ctx, log)
	if err != nil {
		return err
	}
	defer done()
	out, err := h.report(ctx, c.question())
	if err != nil {
		return err
	}
	result, err := verifyFocus(p, out.Content)
	if err != nil {
		return err
	}
	if len(result.Refusals) > 0 {
		return errors.New("the rows break the rules above: nothing was written; please report this")
	}
	if err := p.write(c.Output, out.Content); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %d rows, %d charges of %s USD, %d rows that split them\n", c.Output, result.Rows, result.Origins,
		result.Billed.FloatString(focusPlaces), result.Splits)
	return err
}

// question asks for the rows.
func (c *exportFocus) question() reportQuestion {
	q := reportQuestion{Name: "focus", AsOf: c.AsOf, Format: "csv", Params: map[string]string{"account": c.Account, "provider": c.Provider}}
	if c.Corrections != "" {
		q.Name, q.AsOf = "focus_corrections", c.Corrections
	} else {
		q.Params["by"], q.Params["rows"] = c.By, c.Rows
	}
	for name, value := range map[string]string{"from": c.From, "to": c.To} {
		if value != "" {
			q.Params[name] = value
		}
	}
	return q
}

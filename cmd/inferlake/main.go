package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	kongyaml "github.com/alecthomas/kong-yaml"
	"github.com/willabides/kongplete"

	"github.com/inferlake/inferlake/producer/simulate"
	"github.com/inferlake/inferlake/warehouse"
)

// settings are the flags that every command takes.
type settings struct {
	Config  kong.ConfigFlag `help:"Read settings from this YAML file; its keys are the flags' names." placeholder:"FILE"`
	Data    string          `help:"Data directory: database, embedded broker, snapshots, reports." default:"inferlake-data" placeholder:"DIR"`
	Jobs    jobList         `help:"Scheduled jobs beside the shipped ones: a list in the configuration file, or a file with one." placeholder:"FILE"`
	Verbose bool            `help:"Say on standard error what is going on." short:"v"`
}

// commands are the words of the program, one file each.
type commands struct {
	settings

	Demo    demoCommand    `cmd:"" help:"Run the whole product on this machine in under a minute, on a synthetic day."`
	Serve   serveCommand   `cmd:"" help:"Consume, fold, load and answer; with an embedded broker unless brokers are given."`
	Produce produceCommand `cmd:"" help:"Send events from a source."`
	Report  reportCommand  `cmd:"" help:"Print a shipped report; report list lists them."`
	Seal    sealCommand    `cmd:"" help:"Seal a period that was published: report --as-of reads it the same ever after."`
	Prices  pricesCommand  `cmd:"" help:"What GPUs and APIs cost: import, set, list."`
	Jobs    jobsCommand    `cmd:"" help:"Show and run the scheduled jobs; serve runs them by itself."`
	SQL     sqlCommand     `cmd:"" name:"sql" help:"Ask the warehouse in SQL, on a read-only snapshot."`
	Export  exportCommand  `cmd:"" help:"Write costs, or the whole database, for other tools."`
	Verify  verifyCommand  `cmd:"" help:"Check the invariants on the warehouse, or an exported file, and print what holds."`
	Bench   benchCommand   `cmd:"" help:"Measure the pipeline on this machine."`
	Version versionCommand `cmd:"" help:"Print the version."`
	Query   queryCommand   `cmd:"" hidden:"" help:"Answer one query on a snapshot, under limits (internal)."`

	Completion kongplete.InstallCompletions `cmd:"" help:"Install shell completion."`
}

// program is what the outside gives the commands; a test gives its own.
type program struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := program{os.Args[1:], os.Stdin, os.Stdout, os.Stderr}
	if err := p.run(ctx); err != nil {
		if ctx.Err() != nil && warehouse.Interrupted(err) {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, "inferlake: "+err.Error())
		os.Exit(exitCode(err))
	}
}

// errBroken ends a command whose answer is no: printed already, and told by exit code 1.
var errBroken = errors.New("not everything held")

// exitCode is 2 for a command that could not be understood, 1 for one that failed.
func exitCode(err error) int {
	if parse := new(kong.ParseError); errors.As(err, &parse) {
		return 2
	}
	return 1
}

func (p program) run(ctx context.Context) error {
	var cli commands
	parser, err := kong.New(&cli, kong.Name("inferlake"),
		kong.Description("Knows what LLM inference really does and what it really costs."),
		kong.Configuration(kongyaml.Loader), kong.DefaultEnvars("INFERLAKE"), kong.Vars(replayVars()), kong.Vars{"scenarios": strings.Join(simulate.Shipped(), ", ")},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Writers(p.stdout, p.stderr), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(p))
	if err != nil {
		return fmt.Errorf("cannot build the command line: %w", err)
	}
	kongplete.Complete(parser)
	args := p.args
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return err
	}
	return parsed.Run(cli.settings, cli.logger(p.stderr), folder(cli.Data))
}

func (s settings) logger(w io.Writer) *slog.Logger {
	level := slog.LevelWarn
	if s.Verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

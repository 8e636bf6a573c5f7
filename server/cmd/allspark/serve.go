package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/allspark/allspark/server/app"
	"github.com/allspark/allspark/server/config"
	"github.com/allspark/allspark/server/demo"
)

func serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run a controller",
		Long:  "Run a controller: the console, the REST API and the agents' streams. Settings come from flags, ALLSPARK_* variables and --config.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(cmd.Flags())
			if err != nil {
				return err
			}
			a, err := app.New(cmd.Context(), cfg, version, logger(cmd.ErrOrStderr(), cfg.Log))
			if err != nil {
				return err
			}
			greet(cmd.OutOrStdout(), a, cfg)
			return a.Run(cmd.Context())
		},
	}
	config.BindFlags(c.Flags(), false)
	return c
}

func demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a controller and a sample engine that replays a real trace",
		Long: `Run a controller on its embedded defaults and, beside it, a sample engine:
six apps in two IDCs whose machines each own a real agent, replaying a real
request trace. Ctrl-C ends everything; the next start keeps the data.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(cmd.Flags())
			if err != nil {
				return err
			}
			return runDemo(cmd.Context(), cmd.OutOrStdout(), logger(cmd.ErrOrStderr(), cfg.Log), cfg)
		},
	}
	config.BindFlags(c.Flags(), true)
	return c
}

func runDemo(ctx context.Context, out io.Writer, log *slog.Logger, cfg config.Config) error {
	a, err := app.New(ctx, cfg, version, log)
	if err != nil {
		return err
	}
	templates, store := a.Templates()
	if err := demo.Seed(ctx, templates, store); err != nil {
		a.Close()
		return err
	}
	sample := demo.Config{
		Controller: a.GRPCAddr(), EnrolToken: a.Local().EnrolToken,
		Rate: cfg.Demo.Rate, Speed: cfg.Demo.Speed, Machines: cfg.Demo.Machines, Seed: cfg.Demo.Seed,
		DataDir: filepath.Join(cfg.DataDir, "agents"), Log: log,
	}
	scenes, profiles := a.Scenes()
	if err := demo.SeedScenes(ctx, scenes, profiles, sample, time.Now()); err != nil {
		a.Close()
		return err
	}
	groups, kept := a.Quotas()
	if err := demo.SeedQuota(ctx, groups, kept); err != nil {
		a.Close()
		return err
	}
	engine, err := demo.New(sample)
	if err != nil {
		a.Close()
		return err
	}
	a.ServeDemo(engine)
	greet(out, a, cfg)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.Run(ctx) })
	g.Go(func() error { return engine.Run(ctx) })
	return g.Wait()
}

// greet prints what a newcomer needs next. The password is printed by the start
// that generated it, and never again.
func greet(out io.Writer, a *app.App, cfg config.Config) {
	fmt.Fprintf(out, "\n  console   %s\n", consoleURL(a, cfg))
	if p := a.Password(); p != "" {
		fmt.Fprintf(out, "  sign in   admin  %s   (generated now, shown once)\n", p)
	} else {
		fmt.Fprintf(out, "  sign in   admin, with the password printed by the first start\n")
	}
	fmt.Fprintf(out, "  agents    %s\n", a.GRPCAddr())
	if a.Local().Token != "" {
		fmt.Fprintf(out, "  cli       allspark --data-dir %s agents\n", cfg.DataDir)
	}
	fmt.Fprintln(out)
}

func consoleURL(a *app.App, cfg config.Config) string {
	if cfg.HTTP.TLSCert != "" {
		return "https://" + a.HTTPAddr()
	}
	return "http://" + a.HTTPAddr()
}

func logger(w io.Writer, c config.Log) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.Level)) // checked by config.Validate
	opt := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		return slog.New(slog.NewJSONHandler(w, opt))
	}
	return slog.New(slog.NewTextHandler(w, opt))
}

// Command allspark is the controller, the sample engine and the operator's
// command line in one binary.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/allspark/allspark/server/cli"
)

// version is set at link time.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := cli.New(version)
	root.AddCommand(serveCommand(), demoCommand(), migrateCommand(), openapiCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "allspark:", err)
		os.Exit(cli.ExitCode(err))
	}
}

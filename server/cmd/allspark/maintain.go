package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/allspark/allspark/server/app"
	"github.com/allspark/allspark/server/config"
)

func migrateCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's schema up to this build, then exit",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(cmd.Flags())
			if err != nil {
				return err
			}
			from, to, err := app.Migrate(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if from == to {
				fmt.Fprintf(cmd.OutOrStdout(), "schema is at version %d already\n", to)
				return nil
			}
			fmt.Fprintf(cmd.OutOrStdout(), "schema brought from version %d to %d\n", from, to)
			return nil
		},
	}
	config.BindFlags(c.Flags(), false)
	return c
}

func openapiCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI document of the REST API",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := app.OpenAPI()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(doc)
			return err
		},
	}
}

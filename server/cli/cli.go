package cli

import (
	"github.com/spf13/cobra"
)

// New gives the program with the operator's commands; main adds serve and the like.
func New(version string) *cobra.Command {
	s := &session{version: version}
	root := &cobra.Command{
		Use: "allspark", Short: "Control plane for elastic compute", Version: version,
		SilenceUsage: true, SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usagef("%v", err) })
	for _, c := range []*cobra.Command{
		s.templateCommand(), s.bindCommand(), s.claimCommand(), s.planCommand(), s.quotaCommand(), s.experimentCommand(), s.alertsCommand(), s.sceneCommand(), s.profileCommand(), s.allocationCommand(), s.pointsCommand(), s.pointCommand(), s.explainCommand(), s.leaderboardCommand(),
		s.agentsCommand(), s.agentCommand(), s.changesCommand(), s.changeCommand(), s.userCommand(), s.tokenCommand(), s.enrolCommand(),
		s.auditCommand(), s.statusCommand(), s.loginCommand(), s.logoutCommand(),
	} {
		root.AddCommand(s.bind(c))
	}
	root.AddCommand(Lab())
	return root
}

// group is a command that only holds others.
func group(use, short string, of ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: args(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		return usagef("%s wants one of its commands; see %s --help", cmd.CommandPath(), cmd.CommandPath())
	}}
	c.AddCommand(of...)
	return c
}

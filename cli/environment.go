package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// What is read from the environment beside the settings, so that a client can
// keep the secrets and hand them over without a file.
const (
	configEnv   = "COUNTERFOIL_CONFIG"
	webhookEnv  = "COUNTERFOIL_WEBHOOK_SECRET"
	passwordEnv = "COUNTERFOIL_MAIL_PASSWORD"
)

// environment is a variable of ours; empty where it is not set. A client that
// installs a desktop bundle passes the placeholder of an optional field that was
// left blank as it stands, so that one is not set either.
func (s *shell) environment(name string) string {
	value := s.Getenv(name)
	if strings.HasPrefix(value, "${user_config.") && strings.HasSuffix(value, "}") {
		return ""
	}
	return value
}

// configPath is the configuration's file: the one that --config names, or else
// the environment.
func (s *shell) configPath(cmd *cobra.Command) (path string, named bool) {
	if flag := cmd.Flags().Lookup("config"); flag != nil && flag.Changed {
		return flag.Value.String(), true
	}
	path = s.environment(configEnv)
	return path, path != ""
}

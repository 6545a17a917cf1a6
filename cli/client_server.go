package cli

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"counterfoil/desktop"
)

// server is what the flags make of the server, checked with the client.
func (s *shell) server(cmd *cobra.Command, f *clientFlags, client desktop.Client) (server desktop.Server, err error) {
	if cmd.Flags().Changed("url") {
		server, err = f.remote(cmd)
	} else {
		server, err = s.local(cmd, f)
	}
	if err != nil {
		return nil, err
	}
	if _, err := client.Snippet(server); err != nil {
		return nil, misused("%w", err)
	}
	return server, nil
}

// variableName has capitals alone, as they are usual: a token of ours, given in
// its place, is none.
var variableName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// remote is a server at an address. What would be a secret is refused here: the
// address goes into a file.
func (f *clientFlags) remote(cmd *cobra.Command) (desktop.Server, error) {
	u, err := url.Parse(f.url)
	if err != nil || u.Host == "" || u.Fragment != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, misused("--url must look like http://127.0.0.1:8787/mcp")
	}
	if u.RawQuery != "" || u.ForceQuery {
		return nil, misused("--url has a query, which would be written into the client's file, and the server reads none: leave it away, and see --token-env")
	}
	if u.User != nil {
		return nil, misused("--url holds a name or a password, which would be written into the client's file: take them out, and see --token-env")
	}
	if f.tokenEnv != "" && !variableName.MatchString(f.tokenEnv) {
		return nil, misused("--token-env takes the name of a variable, in capitals, and not the token")
	}
	for _, name := range append(settingNames(), "command") {
		if cmd.Flags().Changed(name) {
			return nil, misused("--%s is for a server that the client starts; the one at --url has its own", name)
		}
	}
	return desktop.Remote{URL: f.url, TokenEnv: f.tokenEnv}, nil
}

// local is this program, to be started by the client as it was started now.
func (s *shell) local(cmd *cobra.Command, f *clientFlags) (desktop.Server, error) {
	if f.tokenEnv != "" {
		return nil, misused("--token-env is for a server at --url; one that the client starts asks for no token")
	}
	if _, err := s.configure(cmd); err != nil {
		return nil, err // the client could only say that it does not start
	}
	command, err := ownPath(f.command)
	if err != nil {
		return nil, err
	}
	args, err := givenSettings(cmd)
	return desktop.Local{Command: command, Args: args}, err
}

func settingNames() []string {
	names := make([]string, 0, len(settings)+1)
	for _, s := range settings {
		names = append(names, s.flag)
	}
	return append(names, "config")
}

// givenSettings are the settings that flags name, as they count wherever the
// client starts the program.
func givenSettings(cmd *cobra.Command) ([]string, error) {
	var args []string
	for _, name := range settingNames() {
		flag := cmd.Flags().Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		value := flag.Value.String()
		if kind := flag.Value.Type(); kind == "DIR" || kind == "FILE" {
			var err error
			if value, err = filepath.Abs(value); err != nil {
				return nil, fmt.Errorf("--%s: %w", name, err)
			}
		}
		if u, err := url.Parse(value); name == "sandbox-url" && err == nil && u.User != nil {
			return nil, misused("--%s holds a name or a password, which would be written into the client's file", name)
		}
		args = append(args, "--"+name, value)
	}
	return args, nil
}

// warnOfEnvironment says what holds here and will not where the client starts
// the program.
func (s *shell) warnOfEnvironment(cmd *cobra.Command, server desktop.Server) {
	if _, local := server.(desktop.Local); !local {
		return
	}
	for _, secret := range []struct{ variable, file string }{{webhookEnv, "secret_file"}, {passwordEnv, "password_file"}} {
		if s.environment(secret.variable) != "" {
			fmt.Fprintf(s.Err, "counterfoil: %s is set here, but perhaps not where the client starts; %s in the configuration would name a file instead\n", secret.variable, secret.file)
		}
	}
	variables := map[string]string{configEnv: "config"}
	for _, setting := range settings {
		if setting.env != "" {
			variables[setting.env] = setting.flag
		}
	}
	for _, flag := range settingNames() {
		for variable, names := range variables {
			if names == flag && s.environment(variable) != "" && !cmd.Flags().Changed(flag) {
				fmt.Fprintf(s.Err, "counterfoil: %s is set here, but perhaps not where the client starts; --%s would write it down\n", variable, flag)
			}
		}
	}
}

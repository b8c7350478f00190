"""What every command starts and ends with: settings, an app, input files, exit codes, errors of tools."""

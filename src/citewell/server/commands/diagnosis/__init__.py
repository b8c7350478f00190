"""What `citewell doctor` looks at: providers, the installation and the settings."""

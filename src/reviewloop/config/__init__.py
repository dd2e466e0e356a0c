"""The configuration: settings from files, the environment and the command line, each with its place."""

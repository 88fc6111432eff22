"""The command line: each command is one verb of `Memory`."""

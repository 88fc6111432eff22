"""Other programs that use the memory: their configuration files, and the hooks that they run."""

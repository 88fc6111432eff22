"""The ground of all engines: an opened store, and a view of it for one access."""

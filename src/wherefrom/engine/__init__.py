"""What every engine works with: an opened store, and a view of it for one access."""

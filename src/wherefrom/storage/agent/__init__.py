"""SQL that agents write: what it may see, and how it is kept inside that."""

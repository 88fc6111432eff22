"""Times that a question names, in words and numbers of several languages, as intervals."""

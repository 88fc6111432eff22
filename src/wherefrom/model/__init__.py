"""Values and errors: the vocabulary every other layer speaks. Imports nothing of ours."""

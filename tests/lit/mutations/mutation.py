"""A row of the tables."""
from collections import namedtuple

# `also`: a second edit, (file, text, replacement), where two checks refuse the same thing. `tests`: which to run, where the
# runner's choice leaves them out.
Mutation = namedtuple("Mutation", "name file text replacement redundant also tests", defaults=["", None, ""])

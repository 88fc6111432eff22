"""The functions, operators, types and arguments that an agent's SELECT may name on PostgreSQL, and its names as
PostgreSQL reads them.

Keys are sqlglot's class names as text, so that sqlglot is imported only when a query arrives.
"""

from __future__ import annotations

from typing import Any, Final

from wherefrom.model.errors import InvalidInput, shown


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FLOAT: Final = "cast({} as double precision)"
# The schema of our functions; the writer puts its name there.
OWN: Final = "{own}"
# PostgreSQL looks at the clock between rows, not between the operations of one: repeat() does so and costs next to
# nothing, so it stands around the text of every function whose time grows with the text.
TEXT: Final = "pg_catalog.repeat({}, 1)"

AGGREGATES: Final = _words(
    "avg bool_and bool_or count max min stddev stddev_pop stddev_samp sum variance var_pop var_samp"
)
PLAIN: Final[dict[str, tuple[int, int]]] = (
    dict.fromkeys(AGGREGATES, (1, 1))
    | dict.fromkeys(("abs", "ceil", "ceiling", "first_value", "floor", "jsonb_array_length", "last_value"), (1, 1))
    | dict.fromkeys(("ntile", "octet_length", "sign"), (1, 1))
    | dict.fromkeys(("cume_dist", "dense_rank", "now", "percent_rank", "rank", "row_number"), (0, 0))
    | dict.fromkeys(("date_part", "mod"), (2, 2))
    | {"age": (1, 2), "date_trunc": (2, 3), "lag": (1, 3), "lead": (1, 3)}
)
CALLS: dict[tuple[str, int], str] = {
    ("replace", 3): f"{OWN}.bounded_replace({{0}}, {{1}}, {{2}})",
    ("nullif", 2): "nullif({0}, {1})",
    ("round", 1): "pg_catalog.round({0})",
    ("round", 2): f"pg_catalog.round({OWN}.bounded_number(cast({{0}} as numeric)), {{1}})",
    ("log", 2): f"(pg_catalog.ln({FLOAT.format('{1}')}) / pg_catalog.ln({FLOAT.format('{0}')}))",
    ("strpos", 2): f"pg_catalog.strpos({TEXT.format('{0}')}, {OWN}.pattern({{1}}))",
    ("split_part", 3): f"pg_catalog.split_part({TEXT.format('{0}')}, {OWN}.pattern({{1}}), {{2}})",
    ("substr", 2): f"pg_catalog.substr({TEXT.format('{0}')}, {{1}})",
    ("substr", 3): f"pg_catalog.substr({TEXT.format('{0}')}, {{1}}, {{2}})",
}
CALLS |= {(name, 2): f"pg_catalog.power({FLOAT.format('{0}')}, {FLOAT.format('{1}')})" for name in ("pow", "power")}
CALLS |= {(name, 1): f"pg_catalog.{name}({FLOAT.format('{0}')})" for name in ("exp", "ln", "log", "log10", "sqrt")}
CALLS |= {
    (name, 1): f"pg_catalog.{name}({TEXT.format('{0}')})"
    for name in ("btrim", "char_length", "character_length", "length", "lower", "ltrim", "rtrim", "upper")
}
CALLS |= {(name, 2): f"pg_catalog.{name}({TEXT.format('{0}')}, {{1}})" for name in ("left", "right")}
CALLS |= {
    (name, 2): f"pg_catalog.{name}({TEXT.format('{0}')}, {OWN}.pattern({{1}}))" for name in ("btrim", "ltrim", "rtrim")
}
VARIADIC: Final = {"coalesce": "coalesce({})", "greatest": "greatest({})", "least": "least({})"} | {
    name: f"{OWN}.bounded(pg_catalog.{name}({{}}))" for name in ("concat", "concat_ws")
}
WORDS: Final = {"Null": "null", "CurrentDate": "current_date", "CurrentTimestamp": "current_timestamp"}
PREFIXES: Final = {"Paren": "", "Neg": "- ", "Not": "not "}
BINARY: Final = {
    "Add": "({} + {})", "Sub": "({} - {})", "Mod": "({} % {})", "And": "({} and {})", "Or": "({} or {})",
    "EQ": "({} = {})", "NEQ": "({} <> {})", "GT": "({} > {})", "GTE": "({} >= {})",
    "LT": "({} < {})", "LTE": "({} <= {})",
    "NullSafeNEQ": "({} is distinct from {})", "NullSafeEQ": "({} is not distinct from {})",
    "JSONExtract": "({} -> {})", "JSONExtractScalar": "({} ->> {})", "DPipe": f"{OWN}.bounded({{}} || {{}})",
    "Mul": f"{OWN}.bounded_number({{}} * {{}})", "Div": f"{OWN}.bounded_number({{}} / {{}})",
    "Pow": f"pg_catalog.power({FLOAT}, {FLOAT})",
}  # fmt: skip
COMPARISONS: Final = frozenset(
    ("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "NullSafeNEQ", "NullSafeEQ", "Like", "ILike", "In", "Between", "Is")
)
TYPES: Final = {
    "TEXT": "text", "VARCHAR": "text", "INT": "integer", "BIGINT": "bigint", "SMALLINT": "smallint",
    "DOUBLE": "double precision", "FLOAT": "real", "DECIMAL": "numeric", "BOOLEAN": "boolean", "DATE": "date",
    "TIMESTAMP": "timestamp", "TIMESTAMPTZ": "timestamptz", "JSON": "jsonb", "JSONB": "jsonb",
}  # fmt: skip
TYPE_COLUMNS: Final = {
    "integer": "int4", "bigint": "int8", "smallint": "int2", "double precision": "float8", "real": "float4",
    "boolean": "bool",
}  # fmt: skip
FIELDS: Final = _words("century day decade dow doy epoch hour isodow isoyear minute month quarter second week year")
UNITS: Final = _words("second seconds minute minutes hour hours day days week weeks month months year years")
SYSTEM_COLUMNS: Final = frozenset(("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "oid"))
# Values that PostgreSQL spells without parentheses; quoted by us they would be columns that nobody has.
KEYWORDS: Final = _words(
    "all array current_catalog current_role current_schema current_time current_user default localtime localtimestamp "
    "session_user system_user user"
)
# `row.name` calls name(row) in PostgreSQL when the row has no such column: `c.json_agg` is an aggregate, unbounded.
ROW_FUNCTIONS: Final = _words(
    "any_out any_value anycompatible_out anycompatiblenonarray_out anyelement_out anynonarray_out array_agg concat "
    "cume_dist dense_rank first_value hash_record json_agg json_agg_strict json_build_array json_build_object "
    "jsonb_agg jsonb_agg_strict jsonb_build_array jsonb_build_object lag last_value lead max min mode num_nonnulls "
    "num_nulls percent_rank pg_collation_for pg_column_compression pg_column_size pg_column_toast_chunk_id pg_typeof "
    "pg_restore_attribute_stats pg_restore_relation_stats quote_literal quote_nullable rank record_out record_send "
    "row_to_json to_json to_jsonb worker_hash bounded_step tick"
)
OPERANDS: Final = frozenset(("this", "expression"))
# The arguments that each node may carry; sqlglot's other arguments (FOR UPDATE, INTO, TABLESAMPLE, …) are refused.
ARGUMENTS: Final = dict.fromkeys((*WORDS, *PREFIXES, *BINARY), OPERANDS) | {
    kind: _words(names)
    for kinds, names in {
        "Select": "with_ distinct expressions from_ joins where group having windows order limit offset",
        "Union Intersect Except": "with_ this expression distinct order limit offset",
        "Values": "expressions alias order limit offset",
        "Subquery": "with_ this alias order limit offset",
        "With": "expressions recursive",
        "CTE": "this alias materialized",
        "TableAlias": "this columns",
        "Table": "this alias",
        "Join": "this method side kind on using",
        "Group": "expressions",
        "Distinct": "expressions on",
        "Order": "this expressions",
        "Ordered": "this desc nulls_first",
        "Alias": "this alias",
        "Column": "this table",
        "Star": "",
        "Literal": "this is_string",
        "Is Like ILike": "this expression negate",
        "Between": "this low high",
        "In": "this expressions query",
        "Case": "this ifs default",
        "If": "this true",
        "Cast": "this to",
        "DataType": "this expressions nested",
        "DPipe": "this expression safe",
        "Div": "this expression typed safe",
        "JSONExtract JSONExtractScalar": "this expression only_json_types",
        "Anonymous": "this expressions",
        "Window": "this partition_by order spec alias over",
        "WindowSpec": "kind start start_side end end_side",
        "Substring": "this start length",
        "StrPosition": "this substr",
        "Trim": "this expression position",
        "Interval": "this unit",
        "All Any Boolean Escape Exists Extract Fetch Filter From Having Limit Offset Where": "this expression",
    }.items()
    for kind in kinds.split()
}

COLUMN_NAMES: Final = {
    "Substring": "substring", "StrPosition": "position", "Extract": "extract", "Exists": "exists",
    "CurrentDate": "current_date", "CurrentTimestamp": "current_timestamp", "Interval": "interval",
}  # fmt: skip


def folded(node: Any) -> str:
    """Return the name that PostgreSQL makes of an identifier: in lower case unless it is quoted."""
    if type(node).__name__ != "Identifier":
        raise InvalidInput("a name is expected", hint="names are plain or in double quotes")
    name = str(node.this)
    if not node.args.get("quoted"):  # PostgreSQL folds only ASCII
        name = "".join(character.lower() if character.isascii() else character for character in name)
    if not 0 < len(name.encode()) <= 63 or name.startswith("pg_"):
        raise InvalidInput(f"not a name in a query: {shown(name)}")
    return name


def quote(name: str) -> str:
    """Return a name in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def quoted(node: Any) -> str:
    """Return the name of an identifier in double quotes, so that it is never a keyword."""
    return quote(folded(node))


def function_name(node: Any) -> str:
    """Return the name of the function that a call names; refuse one that is quoted or qualified."""
    if not isinstance(node.this, str):
        raise InvalidInput(f"no such function: {shown(node.name)}", hint="function names are not quoted or qualified")
    return node.this.lower()


def type_name(node: Any) -> str | None:
    """Return PostgreSQL's name of a type that may be cast to; None if it is not listed."""
    return TYPES.get(getattr(node.this, "name", "")) if type(node).__name__ == "DataType" else None


def column_name(node: Any) -> str | None:
    """Return the name that PostgreSQL gives to an output column without an alias: rewriting must not change it."""
    kind = type(node).__name__
    if kind == "Column":
        return folded(node.this)
    if kind in ("Paren", "Window", "Filter"):
        return column_name(node.this)
    if kind == "Anonymous":
        return function_name(node)
    if kind == "Cast":
        kept, own = column_name(node.this), type_name(node.args["to"]) or ""
        return kept if kept not in (None, "case") else TYPE_COLUMNS.get(own, own)
    if kind == "Case":
        return column_name(node.args.get("default")) or "case"
    if kind == "Trim":
        return trim_name(node)
    if kind == "Subquery" and type(node.this).__name__ == "Select":
        first = node.this.expressions[0]
        return folded(first.args["alias"]) if type(first).__name__ == "Alias" else column_name(first)
    return COLUMN_NAMES.get(kind)


def trim_name(node: Any) -> str:
    """Return the name of PostgreSQL's function for a TRIM."""
    return {"": "btrim", "BOTH": "btrim", "LEADING": "ltrim", "TRAILING": "rtrim"}[node.args.get("position") or ""]

"""What an agent's SELECT may name on PostgreSQL: functions, operators, types, and the arguments of each node.

Keys are sqlglot's class names as text, so that sqlglot is imported only when a query arrives.
"""

from __future__ import annotations

from typing import Final


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
    ("power", 2): f"pg_catalog.power({FLOAT.format('{0}')}, {FLOAT.format('{1}')})",
    ("pow", 2): f"pg_catalog.power({FLOAT.format('{0}')}, {FLOAT.format('{1}')})",
    ("log", 2): f"(pg_catalog.ln({FLOAT.format('{1}')}) / pg_catalog.ln({FLOAT.format('{0}')}))",
    ("strpos", 2): f"pg_catalog.strpos({TEXT.format('{0}')}, {OWN}.pattern({{1}}))",
    ("split_part", 3): f"pg_catalog.split_part({TEXT.format('{0}')}, {OWN}.pattern({{1}}), {{2}})",
    ("substr", 2): f"pg_catalog.substr({TEXT.format('{0}')}, {{1}})",
    ("substr", 3): f"pg_catalog.substr({TEXT.format('{0}')}, {{1}}, {{2}})",
}
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
    "row_to_json to_json to_jsonb bounded_step tick"
)


OPERANDS: Final = frozenset(("this", "expression"))
# The arguments that each node may carry; sqlglot's other arguments (FOR UPDATE, INTO, TABLESAMPLE, …) are refused.
ARGUMENTS: Final = {
    kind: _words(names)
    for kind, names in {
        "Select": "with_ distinct expressions from_ joins where group having windows order limit offset",
        "Union": "with_ this expression distinct order limit offset",
        "Intersect": "with_ this expression distinct order limit offset",
        "Except": "with_ this expression distinct order limit offset",
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
        "Is": "this expression negate",
        "Like": "this expression negate",
        "ILike": "this expression negate",
        "Between": "this low high",
        "In": "this expressions query",
        "Case": "this ifs default",
        "If": "this true",
        "Cast": "this to",
        "DataType": "this expressions nested",
        "DPipe": "this expression safe",
        "Div": "this expression typed safe",
        "JSONExtract": "this expression only_json_types",
        "JSONExtractScalar": "this expression only_json_types",
        "Anonymous": "this expressions",
        "Window": "this partition_by order spec alias over",
        "WindowSpec": "kind start start_side end end_side",
        "Substring": "this start length",
        "StrPosition": "this substr",
        "Trim": "this expression position",
        "Interval": "this unit",
    }.items()
}

COLUMN_NAMES: Final = {
    "Substring": "substring", "StrPosition": "position", "Extract": "extract", "Exists": "exists",
    "CurrentDate": "current_date", "CurrentTimestamp": "current_timestamp", "Interval": "interval",
}  # fmt: skip

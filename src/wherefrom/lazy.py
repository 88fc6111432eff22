"""Imports that wait until they are needed, so that a process pays only for what it uses.

`from wherefrom.lazy import np` costs nothing at the start of a process. `exported` makes a package of ours lazy
(PEP 562), and `Later` names something in a module without importing it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder

TYPE_CHECKING = False  # `typing` would take longer than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType
    from typing import Any

_NOTHING = compile("", "", "exec")


def exported(names: dict[str, Any], homes: dict[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package, which imports a name from its module when it is first used.

    names: the globals of the package. homes: for each of its modules, the names, separated by spaces.
    """
    home_of = {name: f"{names['__name__']}.{home}" for home, some in homes.items() for name in some.split()}

    def found(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        names[name] = getattr(import_module(home_of[name]), name)
        return names[name]

    return found


class Later:
    """Something in a module, by its path: `Later("package.module").Class.method`."""

    def __init__(self, module: str, *path: str) -> None:
        self._module = module
        self._path = path

    def __getattr__(self, name: str) -> Later:
        return Later(self._module, *self._path, name)

    def __call__(self) -> tuple[Any, Any]:
        """Import the module; return the thing that the path leads to, and the class that holds it."""
        holder, found = None, import_module(self._module)
        for name in self._path:
            holder, found = found, getattr(found, name)
        return found, holder

    def read_docstring(self) -> str:
        """Return its docstring, as it is indented, out of the compiled module, which is not run for it; or nothing."""
        code = _code_of(self._module)
        for name in self._path:
            code = next((inner for inner in code.co_consts if getattr(inner, "co_name", "") == name), _NOTHING)
        return code.co_consts[0] or ""


@cache
def _code_of(module: str) -> CodeType:
    """Return the compiled code of a module of ours; only the package that it is in is imported."""
    package = import_module(module.rpartition(".")[0])
    spec = PathFinder.find_spec(module, package.__path__)
    return spec.loader.get_code(module)  # type: ignore[union-attr, no-any-return]  # all of ours have code


class _LazyModule:
    """Stands for a module that is imported when one of its names is first used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)
        return value


def lazy_modules(package: str, *names: str) -> tuple[Any, ...]:
    """Return modules of a package that not every process needs, as stand-ins that import them at first use."""
    return tuple(_LazyModule(f"{package}.{name}") for name in names)


if TYPE_CHECKING:
    import tempfile as tempfile
    import tomllib as tomllib
    from importlib import metadata as metadata

    import bibtexparser as bibtexparser
    import cel as cel
    import charset_normalizer as charset_normalizer
    import httpx2 as httpx2
    import markdown_it as markdown_it
    import numpy  # noqa: ICN001
    import phonenumbers as phonenumbers
    import sentence_transformers as sentence_transformers
    import tokenizers as tokenizers
    import trafilatura as trafilatura
    import yaml as yaml
    from lxml import html  # type: ignore[import-untyped]
    from pylatexenc import latex2text as latex2text  # type: ignore[import-untyped]
    from safetensors import numpy as tensors

    np, lxml_html, safetensors = numpy, html, tensors
else:
    _OTHER_NAMES = {"latex2text": "pylatexenc.latex2text", "lxml_html": "lxml.html", "metadata": "importlib.metadata"}
    _OTHER_NAMES |= {"np": "numpy", "safetensors": "safetensors.numpy"}

    def __getattr__(name: str) -> Any:
        """Return the stand-in for a module that is imported from here; most have their own name."""
        if name.startswith("_"):
            raise AttributeError(name)
        return _LazyModule(_OTHER_NAMES.get(name, name))

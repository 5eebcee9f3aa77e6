"""Who may import what. The layers of docs/ARCHITECTURE.md are these tests."""

import ast
import functools
import importlib.metadata
import re
import sys
from collections.abc import Iterable, Iterator, Mapping

Trees = Mapping[str, ast.Module]

#: Each library with a narrow door: the only module, or the one package of which one module, may import it.
DOORS = {
    "yaml": "akmc.yaml.read",
    "lark": "akmc.grammar_table",
    "transitions": "akm.kernel.machines",
    "sqlite3": "akm.journal",
}

#: Each extra whose libraries we import, and the only package that may.
OPTIONAL = {"lsp": "akmc.lsp", "otel": "akm.telemetry"}

#: What computes from its arguments alone (source: the pure core in docs/ARCHITECTURE.md), and so may import
#: neither what knows the world, nor any other room of the executor.
PURE = ("akm.kernel", "akm.reply")
WORLD = {
    *("asyncio", "concurrent", "datetime", "glob", "io", "logging", "multiprocessing", "os", "pathlib", "platform"),
    *("psutil", "random", "secrets", "select", "shutil", "signal", "socket", "sqlite3", "subprocess", "sys"),
    *("tempfile", "threading", "time", "uuid"),
}


def imported(tree: ast.AST) -> Iterator[str]:
    """The dotted name of each module that `tree` imports, in any function too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            assert node.module is not None
            yield node.module


def imported_when_loaded(tree: ast.Module) -> Iterator[str]:
    """As `imported`, without what stands inside functions."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported(node)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def top(dotted: str) -> str:
    return dotted.partition(".")[0]


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def pure(module: str) -> bool:
    return any(within(module, room) for room in PURE)


def importers(trees: Trees, library: str) -> set[str]:
    return {name for name, tree in trees.items() if library in map(top, imported(tree))}


def called_by_name(tree: ast.AST, *names: str) -> bool:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Name) and called.id in names for called in calls)


def test_lark_transitions_and_sqlite_each_have_one_door(trees: Trees) -> None:
    for library, door in DOORS.items():
        found = importers(trees, library)
        assert len(found) <= 1, f"{library} is imported by {sorted(found)}"
        assert all(within(module, door) for module in found), (
            f"{library} is imported by {sorted(found)}, not {door}"
        )


def test_the_compiler_never_imports_the_executor(trees: Trees) -> None:
    assert not [name for name in importers(trees, "akm") if not within(name, "akm")]


def test_the_executor_imports_the_compiler_in_one_place_and_only_when_asked(trees: Trees) -> None:
    found = {name for name in importers(trees, "akmc") if within(name, "akm")}
    assert len(found) <= 1, f"akmc is imported by {sorted(found)}"
    assert not [name for name in found if "akmc" in map(top, imported_when_loaded(trees[name]))]
    assert not [name for name in importers(trees, "akm_grammar") if within(name, "akm")]


def test_grammar_and_specs_import_nothing_of_the_layers_above(trees: Trees) -> None:
    allowed = {"akm_grammar": {"akm_grammar"}, "akm_specs": {"akm_specs"}}
    for name, tree in trees.items():
        ours = {top(module) for module in imported(tree)} & {"akm", "akmc", "akm_grammar", "akm_specs"}
        assert ours <= allowed.get(top(name), ours), f"{name} imports {sorted(ours)}"


def test_the_pure_core_imports_no_clock_no_randomness_and_no_io(trees: Trees) -> None:
    core = {name: tree for name, tree in trees.items() if pure(name)}
    assert core
    for name, tree in core.items():
        assert not WORLD & {top(module) for module in imported(tree)}, name
        assert not called_by_name(tree, "open", "input", "print"), name


def test_the_pure_core_uses_no_other_room_of_the_executor(trees: Trees) -> None:
    for name, tree in trees.items():
        if pure(name):
            assert not [module for module in imported(tree) if within(module, "akm") and not pure(module)], name


def test_the_history_checker_shares_no_code_with_what_it_checks(trees: Trees) -> None:
    checker = {name: tree for name, tree in trees.items() if within(name, "akm.audit")}
    assert checker
    for name, tree in checker.items():
        ours = {module for module in imported(tree) if top(module) in ("akm", "akmc", "akm_grammar", "akm_specs")}
        assert not [one for one in ours if not within(one, "akm.audit") and not within(one, "akm_specs")], name


def test_what_is_imported_is_declared_and_what_is_declared_is_imported(trees: Trees) -> None:
    """For what everyone gets and for OPTIONAL; the other extras name commands and plugins, which nobody imports."""
    optional = {name for name in trees for room in OPTIONAL.values() if within(name, room)}
    core = used(tree for name, tree in trees.items() if name not in optional)
    assert core == declared("")
    for extra, room in OPTIONAL.items():
        assert used(tree for name, tree in trees.items() if within(name, room)) - core == declared(extra)


def declared(extra: str) -> set[str]:
    """The distributions that an extra asks for or, without a name, that everyone gets."""
    found = set()
    for requirement in importlib.metadata.requires("akm") or []:
        marked = re.search(r"extra == ['\"]([\w-]+)['\"]", requirement)
        if (marked[1] if marked else "") == extra:
            found.add(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0].replace("-", "_").lower())
    return found


def used(trees: Iterable[ast.Module]) -> set[str]:
    """The distributions of other people that modules import."""
    ours = {"akm", "akmc", "akm_grammar", "akm_specs"}
    modules = {module for tree in trees for module in imported(tree)}
    theirs = [module for module in modules if top(module) not in ours | sys.stdlib_module_names]
    return {name.replace("-", "_").lower() for module in theirs for name in bringing(module)}


@functools.cache
def bringing(module: str) -> set[str]:
    """The distributions that bring `module`: of several that share its top-level package, those that hold it."""
    sharing = set(importlib.metadata.packages_distributions()[top(module)])
    if len(sharing) == 1:
        return sharing
    files = {f"{module.replace('.', '/')}{end}" for end in (".py", "/__init__.py")}
    return {name for name in sharing if files & {str(file) for file in importlib.metadata.files(name) or ()}}

"""What house rules look at: our own modules, wherever they are installed, and the checkout, where there is one."""

import ast
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("akm", "akmc", "akm_grammar", "akm_specs")


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout. A suite that was copied away to test an installed wheel has none."""
    if not (ROOT / "compiler" / "akmc").is_dir():
        pytest.skip("about the checkout, and this suite runs outside of one")
    return ROOT


@pytest.fixture(scope="session")
def modules() -> dict[str, Path]:
    """Every module of our packages, by its dotted name."""
    found = {}
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        assert spec is not None, package
        assert spec.origin is not None, package
        home = Path(spec.origin).parent
        for path in sorted(home.rglob("*.py")):
            parts = path.relative_to(home.parent).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


@pytest.fixture(scope="session")
def trees(modules: dict[str, Path]) -> dict[str, ast.Module]:
    """The syntax tree of every module of our packages, by the module's dotted name."""
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules.items()}

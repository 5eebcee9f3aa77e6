"""The guide for host programs is true: its examples are executed, in a folder with the files that it shows."""

import doctest
import re
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "library.md"


def test_every_example_of_the_guide_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    files = re.findall(r"^```(?:python|akm)\n# (\S+)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert {name for name, _ in files} == {"shop.py", "registry.akm", "order.akm"}
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    examples = "".join(re.findall(r"^```pycon\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(examples, {}, "library", str(GUIDE), 0)
    assert len(test.examples) > 10
    said: list[str] = []
    try:
        result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    finally:
        sys.modules.pop("shop", None)
    assert result.failed == 0, "".join(said)

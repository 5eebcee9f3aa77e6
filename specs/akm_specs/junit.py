"""JUnit XML, in the shape on which the schemas in use agree (docs/reference/cli.md): reports of both programs."""

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

#: What XML 1.0 has no character for, and the control characters that it advises against.
_NOT_IN_XML = re.compile("[^\t\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def case(suite: str, name: str, seconds: str = "0") -> Element:
    """A case, which has passed unless it is given a verdict. Its name is XML as it stands."""
    return Element("testcase", {"classname": xml_text(suite), "name": name, "time": seconds})


def suite(
    number: int,
    *,
    name: str,
    package: str,
    began: str,
    cases: Sequence[Element],
    said: str,
    seconds: str = "0",
    skips: bool = False,
) -> Element:
    """A suite with its cases and their counts; where some may have been skipped (`skips`), with that count too.

    `began` is a moment in UTC to the second, as `2026-03-04T05:06:07`; `said` is what stands in the output.
    """
    kinds = {"failures": "failure", "errors": "error"} | ({"skipped": "skipped"} if skips else {})
    found = Element(
        "testsuite",
        {
            "id": str(number),
            "name": xml_text(name),
            "package": xml_text(package),
            "timestamp": began,
            "hostname": "localhost",
            "tests": str(len(cases)),
            **{count: str(sum(each.find(kind) is not None for each in cases)) for count, kind in kinds.items()},
            "time": seconds,
        },
    )
    SubElement(found, "properties")
    found.extend(cases)
    SubElement(found, "system-out").text = xml_text(said)
    SubElement(found, "system-err")
    return found


def document(suites: Iterable[Element]) -> str:
    """The document of `suites`."""
    found = Element("testsuites")
    found.extend(suites)
    indent(found)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(found, encoding="unicode")}\n'


def xml_text(text: str) -> str:
    """`text` with a mark in the place of what XML cannot say."""
    return _NOT_IN_XML.sub("\ufffd", text)

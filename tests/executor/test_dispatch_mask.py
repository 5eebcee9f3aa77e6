"""Masking: every spelling of a secret goes, wherever the stream is cut, and nothing else does."""

import base64
import json
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm.dispatch.spellings import spellings
from akm.dispatch.supervisor.mask import Masker

SECRET = 'pa/ss "wörd"+1'


def masked(secrets: list[str], *chunks: bytes) -> bytes:
    masker = Masker({spelling for secret in secrets for spelling in spellings(secret)})
    return b"".join(map(masker.feed, chunks)) + masker.finish()


@pytest.mark.parametrize(
    "spelling",
    [
        SECRET.encode(),
        json.dumps(SECRET)[1:-1].encode(),
        json.dumps(SECRET, ensure_ascii=False)[1:-1].encode(),
        quote(SECRET, safe="").encode(),
        quote_plus(SECRET).encode(),
        base64.b64encode(SECRET.encode()).rstrip(b"="),
        base64.urlsafe_b64encode(SECRET.encode()).rstrip(b"="),
    ],
)
def test_each_usual_spelling_is_masked(spelling: bytes) -> None:
    assert masked([SECRET], b"<" + spelling + b">") == b"<***>"


PATH = 'k/ey "ö"\n~!'


@pytest.mark.parametrize(
    "spelling",
    [
        json.dumps(PATH)[1:-1].replace("/", r"\/"),
        json.dumps(PATH)[1:-1].replace("\u00f6", "\u00f6"),
        quote(PATH, safe="").replace("%C3%B6", "%c3%b6").replace("%2F", "%2f").replace("%0A", "%0a"),
        quote(PATH, safe="!'()*"),
        repr(PATH)[1:-1],
        repr(PATH.encode())[2:-1],
        PATH.encode().hex(),
        PATH.encode().hex().upper(),
    ],
)
def test_each_case_and_escape_is_masked(spelling: str) -> None:
    assert masked([PATH], b"<" + spelling.encode() + b">") == b"<***>"


@pytest.mark.parametrize("size", [1, 7, 64, 4096])
@pytest.mark.parametrize("before", range(3))
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_base64_that_is_broken_into_lines_is_masked_wherever_it_is_cut(size: int, before: int, end: bytes) -> None:
    secret = "correct horse battery staple " * 8
    text = base64.b64encode(b"x" * before + secret.encode() + b"y")
    for width in (64, 76):
        wrapped = end.join(text[at : at + width] for at in range(0, len(text), width))
        found = masked([secret], *(wrapped[at : at + size] for at in range(0, len(wrapped), size)))
        assert b"***" in found
        assert len(found) < 20


def test_a_line_of_a_secret_of_several_lines_is_masked_alone() -> None:
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhki\n-----END KEY-----\n"
    assert masked([key], b"<MIIEvQIBADANBg>") == b"<***>"
    assert masked([key], b"<" + base64.b64encode(b"MIIEvQIBADANBg").rstrip(b"=") + b">") == b"<***>"
    assert masked([key], b"<kqhki>") == b"<kqhki>"  # too short to be masked wherever it stands


def test_a_long_key_costs_little_to_look_for() -> None:
    key = "\n".join(f"{number:064x}" for number in range(50))
    begun = time.monotonic()
    assert masked([key], b"x" * 100_000) == b"x" * 100_000
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
def test_base64_of_a_longer_text_does_not_tell_the_secret_in_it(before: str) -> None:
    whole = base64.b64encode(f"{before}correct horse battery;rest".encode())
    found = masked(["correct horse battery"], whole)
    assert b"***" in found
    for shift in range(3):
        assert base64.b64encode(bytes(shift) + b"horse")[4:8] not in found


def test_overlapping_secrets_leave_no_part_of_either() -> None:
    assert masked(["abcdef", "defghi"], b"x abcdefghi y") == b"x *** y"
    assert masked(["abcd", "abcdefgh"], b"abcdefgh") == b"***"
    assert masked(["aaaa"], b"aaaaaaa") == b"***"


def test_without_secrets_nothing_is_held_back() -> None:
    assert Masker([]).feed(b"abc") == b"abc"


SMALL = st.text("abc", min_size=4, max_size=8)


CHUNKS = st.lists(st.text("abcd", max_size=12).map(str.encode), max_size=8)


@given(st.lists(SMALL, min_size=1, max_size=3), CHUNKS)
def test_how_the_stream_is_cut_changes_nothing_and_no_secret_remains(
    secrets: list[str], chunks: list[bytes]
) -> None:
    whole = masked(secrets, b"".join(chunks))
    assert masked(secrets, *chunks) == whole
    assert not [secret for secret in secrets if secret.encode() in whole]


@given(st.binary(max_size=200))
def test_text_without_the_secret_is_kept_byte_for_byte(data: bytes) -> None:
    if b"*secret*" not in data:
        assert masked(["*secret*"], data) == data


def test_a_stream_of_nothing_but_secrets_takes_linear_time() -> None:
    begun = time.monotonic()
    assert masked(["aaaa"], *[b"a" * 65_536] * 16) == b"***"
    assert time.monotonic() - begun < 20

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

"""What looks like a credential, by the words of a name or by the form of a text. Used to warn, never to show."""

import re
from itertools import pairwise

_WORDS = frozenset({"password", "passwd", "passphrase", "secret", "token", "credential", "credentials", "apikey"})
_PAIRS = frozenset({("api", "key"), ("private", "key"), ("access", "key")})
#: Forms that services give to their keys, and a password inside an address.
_FORMS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,})"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}"
    r"|\bxox[abposr]-[A-Za-z0-9-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"
    r"|://[^/\s:@]+:[^/\s:@]+@"
)
#: An argument such as `--token=…`: the name of an option, and what follows it.
_OPTION = re.compile(r"--?([A-Za-z][\w-]*)=(.+)", re.DOTALL)


def named_like_one(name: str) -> bool:
    """Whether `name` has a word for a secret in it: `api_key`, `dbPassword`, `TOKEN`; not `tokenizer`."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
    return bool(_WORDS.intersection(words)) or bool(_PAIRS.intersection(pairwise(words)))


def formed_like_one(text: str) -> bool:
    """Whether `text` has the form of a key, or holds an address with a password."""
    return _FORMS.search(text) is not None


def given_like_one(argument: str) -> bool:
    """Whether an argument of a command gives an option that is named like a secret its value."""
    option = _OPTION.fullmatch(argument)
    return option is not None and named_like_one(option[1])

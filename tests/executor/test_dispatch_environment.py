"""What a tool's environment holds: little, by name, and nothing by accident."""

from akm.dispatch.environment import ORDINARY_NAMES, tool_environment


def test_only_ordinary_and_declared_names_pass() -> None:
    ambient = {"PATH": "/bin", "HOME": "/srv/alice", "API_TOKEN": "s3cret", "OTHER": "x", "AKM_STORE": "y"}
    found = tool_environment(["API_TOKEN"], ambient)
    assert found.variables == {"PATH": "/bin", "HOME": "/srv/alice", "API_TOKEN": "s3cret"}
    assert (found.secrets, found.missing) == (("s3cret",), ())


def test_a_declared_name_without_value_is_missing_and_an_empty_value_is_not() -> None:
    found = tool_environment(["B_ABSENT", "A_ABSENT", "EMPTY"], {"EMPTY": ""})
    assert found.missing == ("A_ABSENT", "B_ABSENT")
    assert found.variables == {"EMPTY": ""}


def test_ordinary_names_are_neither_secret_nor_missing_even_when_declared() -> None:
    assert tool_environment(ORDINARY_NAMES, {"PATH": "/usr/bin"}).secrets == ()
    assert tool_environment(ORDINARY_NAMES, {}).missing == ()


def test_values_too_short_to_be_secrets_are_not_masked() -> None:
    assert tool_environment(["A", "B"], {"A": "yes", "B": "four"}).secrets == ("four",)

"""The program that plants faults finds places for them, and says whether a test noticed."""

import ast

import pytest
from tests.mutation.mutants import mutants

SOURCE = '''"""Says nothing."""
LIMIT: int = 3


def allowed(count: int, *, ready: bool = False) -> bool:
    """Whether one more is allowed."""
    if not ready and count < LIMIT:
        print(count, end="")
        return True
    return False
'''


def test_every_mutant_is_another_program() -> None:
    found = list(mutants(SOURCE))
    texts = {ast.unparse(one.tree) for one in found}
    assert len(texts) == len(found)
    assert ast.unparse(ast.parse(SOURCE)) not in texts


@pytest.mark.parametrize(
    "what",
    [
        *("3 -> 4", "Lt -> LtE", "And -> Or", "operand 1 left out", "not left out", "condition turned round"),
        *("call left out", "argument end left out", "returns None", "True -> False", "False -> True"),
    ],
)
def test_the_faults_that_a_person_makes_are_among_them(what: str) -> None:
    assert what in {one.what for one in mutants(SOURCE)}


def test_docstrings_and_annotations_are_left_alone() -> None:
    for one in mutants(SOURCE):
        text = ast.unparse(one.tree)
        assert '"""Says nothing."""' in text
        assert "count: int" in text

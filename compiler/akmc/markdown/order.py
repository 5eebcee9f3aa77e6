"""In which order the steps of an akm Markdown workflow follow each other.

Steps come one after the other. A route picks one of the steps behind it, and passes the others by that it
could have picked: so a step that was picked leads past those.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from akmc.markdown import keys

COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Order:
    """The steps of a workflow, as they follow each other."""

    steps: tuple[keys.Step, ...]

    def picks(self, at: int) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What the route at `at` may pick, each with the way to where it is written."""
        route = self.steps[at].route
        if route is None:
            return
        yield from ((("when", index, "step"), branch.step.strip()) for index, branch in enumerate(route.when))
        if route.default is not None:
            yield ("default",), route.default.strip()

    def free_name(self, name: str) -> str:
        """`name`, or one like it that no step has."""
        names = {step.id for step in self.steps}
        return next(each for each in (name, *(f"{name}-{count}" for count in range(2, 1000))) if each not in names)

    def after(self, at: int) -> str:
        """The step that follows the one at `at`, or the end."""
        passed_by = self._siblings(at)
        later = (step.id for step in self.steps[at + 1 :] if step.id not in passed_by)
        return next(later, COMPLETED)

    def between(self, at: int, target: str) -> str | None:
        """A step that stands between the route at `at` and its `target`, and that no route passes by there."""
        passed_by = self._siblings(at) | {name for _, name in self.picks(at)}
        names = [step.id for step in self.steps]
        inner = names[at + 1 : names.index(target)]
        return next((name for name in inner if name not in passed_by), None)

    def _siblings(self, at: int) -> set[str]:
        """The steps that are passed by when the one at `at` was picked."""
        name = self.steps[at].id
        found: set[str] = set()
        for earlier in range(at):
            picked = {each for _, each in self.picks(earlier)}
            if name in picked:
                found |= (picked - {name}) | self._siblings(earlier)
        return found

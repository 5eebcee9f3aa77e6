"""Manifests of deliveries: honest about what arrived, and each share with its receipt."""

from akm.audit.chapters import Chapter
from akm.audit.history import Found, History

_NOTHING = ("failed", "cancelled", "blocked_uncertain")


def deliveries(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """With anything delivered, a manifest is never failed, cancelled or blocked; complete only with all of it."""
    for chapter in chapters:
        every = set(chapter.step.get("repositories", ()))
        arrived: set[str] = set()
        for one in chapter.entries:
            if one.name == "delivery.create" and set(one.data["repositories"]) != every:
                yield one.sequence, f"{chapter.id} delivers other repositories than its step"
            elif one.name == "repository_delivery.create" and one.entity not in chapter.works:
                yield one.sequence, f"{one.entity} is the share of no assignment"
            elif one.name == "repository_delivery.confirm":
                result = chapter.works[one.entity].result if one.entity in chapter.works else None
                if result is None or result["evidence"].get("receipt") != one.data["receipt"]:
                    yield one.sequence, f"{one.entity} is delivered without the receipt of its push"
                arrived.add(one.data["repository"])
            elif one.lifecycle == "delivery" and one.target in _NOTHING and arrived:
                yield one.sequence, f"{chapter.id} is {one.target}, and {', '.join(sorted(arrived))} arrived"
            elif one.name == "delivery.complete" and arrived != every:
                yield one.sequence, f"{chapter.id} is complete without {', '.join(sorted(every - arrived))}"

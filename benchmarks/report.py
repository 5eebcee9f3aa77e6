"""What was measured, as a Markdown table and as a chart for light and for dark pages."""

from dataclasses import dataclass
from statistics import median

from measure import SCENARIOS, Scenario

BAR, GAP, LABEL, WIDTH = 18, 6, 120, 640


@dataclass(frozen=True, slots=True)
class Measured:
    """All measurements of one contender in one scenario; empty where it failed, and then `why` says so."""

    contender: str
    scenario: Scenario
    values: tuple[float, ...]
    why: str = ""

    @property
    def middle(self) -> float | None:
        return median(self.values) if self.values else None


def table(measured: list[Measured], skipped: dict[str, str]) -> str:
    """A row a contender, a column a scenario: the median, with the least and the most below it."""
    names = list(dict.fromkeys(each.contender for each in measured))
    found = {(each.contender, each.scenario.name): each for each in measured}
    heads = [f"{each.title}, {each.unit}" for each in SCENARIOS]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for name in names:
        cells = [_cell(found.get((name, scenario.name))) for scenario in SCENARIOS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [f"\nSkipped: {name} ({why})." for name, why in skipped.items()]
    failed = [each for each in measured if not each.values]
    lines += [f"\n{each.contender}, {each.scenario.title}: {each.why}." for each in failed]
    return "\n".join(lines) + "\n"


def _cell(measured: Measured | None) -> str:
    if measured is None or measured.middle is None:
        return "-"
    low, high = min(measured.values), max(measured.values)
    return f"**{_number(measured.middle)}** ({_number(low)}-{_number(high)})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def chart(measured: list[Measured]) -> str:
    """Bars of the medians, a group a scenario, each group on a scale of its own."""
    parts: list[str] = []
    top = 10
    for scenario in SCENARIOS:
        rows = [each for each in measured if each.scenario == scenario and each.middle is not None]
        if not rows:
            continue
        better = "more is better" if scenario.more_is_better else "less is better"
        parts.append(
            f'<text x="0" y="{top + 12}" class="title">{scenario.title} ({scenario.unit}, {better})</text>'
        )
        top += 22
        most = max(each.middle or 0 for each in rows)
        for each in rows:
            parts += _bar(each, top, most)
            top += BAR + GAP
        top += 14
    return _svg("\n".join(parts), top)


def _bar(measured: Measured, top: int, most: float) -> list[str]:
    value = measured.middle or 0
    length = max(1, round((WIDTH - LABEL - 90) * value / most))
    kind = {"akm": "ours", "the limit": "limit"}.get(measured.contender, "peer")
    middle = top + BAR - 5
    return [
        f'<text x="{LABEL - 8}" y="{middle}" text-anchor="end">{measured.contender}</text>',
        f'<rect x="{LABEL}" y="{top}" width="{length}" height="{BAR}" rx="3" class="{kind}"/>',
        f'<text x="{LABEL + length + 6}" y="{middle}">{_number(value)}</text>',
    ]


def _svg(body: str, height: int) -> str:
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">
<style>
  text {{ font: 12px system-ui, sans-serif; fill: #222 }} .title {{ font-weight: 600 }}
  .ours {{ fill: #0a7d57 }} .peer {{ fill: #8a94a6 }} .limit {{ fill: #c9ced8 }}
  @media (prefers-color-scheme: dark) {{
    text {{ fill: #e6e6e6 }} .ours {{ fill: #34c98e }} .peer {{ fill: #6b7486 }} .limit {{ fill: #3d4452 }}
  }}
</style>
{body}
</svg>
"""

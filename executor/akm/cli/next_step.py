"""What to type next, and a run's standing in words: from projections alone."""

import json
from typing import Any

from akm.cli.family import Family
from akm.cli.spans import span_text
from akm.journal.projections import RunRow
from akm.journal.store import ENDED
from akm_specs.canonical import JsonObject


def resume_command(family: Family) -> str | None:
    """The command that carries the run on; None when it has ended."""
    if family.row.status in ENDED:
        return None
    uncertain = family.decisive.summary.get("uncertain") or []
    if uncertain:
        run, effect = family.decisive.run, uncertain[0]["effect"]
        return f"akm resolve {run} {effect} --action ACTION --as NAME --reason TEXT"
    return f"akm resume {family.eldest}"


def describe(family: Family) -> list[str]:
    """The run's standing, line by line."""
    row, decisive = family.row, family.decisive
    summary = row.summary
    lines = [f"run {row.run} ({summary.get('workflow')}): {row.status}"]
    if summary.get("step") is not None:
        lines.append(
            f"  step      {summary['step_attempt'] or summary['step']} {summary['step_status'] or ''}".rstrip()
        )
    if summary.get("reason"):
        lines.append(f"  because   {summary['reason']['message']}")
    lines += [*_work(summary), *_deliveries(summary), *_spent(summary)]
    lines += [_nested(child) for child in family.children]
    lines += _waiting(decisive, f"akm resume {family.eldest}")
    for effect in decisive.summary.get("uncertain") or []:
        lines += _uncertain(decisive, effect, f"akm resume {family.eldest}")
    for step, output in (summary.get("outputs") or {}).items():
        lines.append(f"  output    {step}: {_short(output)}")
    at = decisive.summary
    if not at.get("waiting_for") and not at.get("uncertain") and resume_command(family):
        lines.append(f"  next      {resume_command(family)}")
    return lines


def _nested(child: RunRow) -> str:
    """A child run: where it stands, and how it is called."""
    at = child.summary.get("step_attempt") or child.summary.get("step") or ""
    return f"  child     {child.run} ({child.summary.get('workflow')}): {child.status} {at}".rstrip()


def _work(summary: JsonObject) -> list[str]:
    """How far a step with several assignments is."""
    work = summary.get("work")
    if not work or work["of"] == 1 or not work["open"]:
        return []
    return [f"  work      {work['made']} of {work['of']} begun, {work['open']} of them not ended"]


def _deliveries(summary: JsonObject) -> list[str]:
    """What became of each repository of a delivery."""
    lines = []
    for step, manifest in (summary.get("deliveries") or {}).items():
        where = f" to {manifest['branch']}" if manifest["branch"] else ""
        lines.append(f"  delivery  {step}: {manifest['status']}{where}")
        for name, share in manifest["repositories"].items():
            proof = f", receipt {_short(share['receipt'])}" if share["receipt"] is not None else ""
            lines.append(f"            {name}: {share['status']} {share['commit']}{proof}")
    return lines


def _spent(summary: JsonObject) -> list[str]:
    """What agents reported to have spent, and how many did not."""
    spent = summary.get("spent") or {}
    parts = [f"{spent['tokens']} tokens"] if spent.get("tokens") else []
    if spent.get("cost_microdollars"):
        parts.append(f"{spent['cost_microdollars'] / 1_000_000:.2f} USD")
    if spent.get("unmetered"):
        parts.append(f"{spent['unmetered']} attempts of agents not metered")
    return [f"  spent     {', '.join(parts)}"] if parts else []


def _waiting(row: RunRow, resume: str) -> list[str]:
    waiting: JsonObject | None = row.summary.get("waiting_for")
    if waiting is None:
        return []
    left = span_text(waiting["due_ms"] - row.elapsed_ms)
    match waiting["kind"]:
        case "decision":
            shown = [f"  shown     {name}: {_short(value)}" for name, value in waiting["shown"].items()]
            step, who = waiting["step"], waiting["by"]
            return [
                f"  waits     for a decision of {' or '.join(who)}, at most {left}",
                *shown,
                f"  next      akm approve {row.run} {step} --as {who[0]}   (or: akm reject …), then {resume}",
            ]
        case "signal":
            signal = waiting["signal"]
            return [
                f"  waits     for signal {signal}, at most {left}",
                f"  next      akm signal {row.run} {signal}, then {resume}",
            ]
    return [f"  waits     for {left}", f"  next      {resume}"]


def _uncertain(row: RunRow, effect: JsonObject, resume: str) -> list[str]:
    return [
        f"  uncertain {effect['effect']} ({effect['class']}, tool {effect['tool']}): {effect['why']}",
        *(f"            tried: {name}: {_short(value)}" for name, value in (effect.get("tried") or {}).items()),
        f"  resolve   akm resolve {row.run} {effect['effect']} --as NAME --reason TEXT [--ref REF] --action",
        f"            one of {', '.join(effect['resolutions'])}; then {resume}",
    ]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"

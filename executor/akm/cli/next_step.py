"""What to type next, and a run's standing in words: from its projection alone."""

import json
from typing import Any

from akm.cli.spans import span_text
from akm.journal.store import RunRow
from akm_specs.canonical import JsonObject


def resume_command(row: RunRow) -> str | None:
    """The command that carries the run on; None when it has ended."""
    if row.status in ("completed", "failed", "cancelled"):
        return None
    uncertain = row.summary.get("uncertain") or []
    if uncertain:
        return f"akm resolve {row.run} {uncertain[0]['effect']} --action ACTION --as NAME --reason TEXT"
    return f"akm resume {row.run}"


def describe(row: RunRow) -> list[str]:
    """The run's standing, line by line."""
    summary = row.summary
    lines = [f"run {row.run} ({summary.get('workflow')}): {row.status}"]
    if summary.get("step") is not None:
        lines.append(
            f"  step      {summary['step_attempt'] or summary['step']} {summary['step_status'] or ''}".rstrip()
        )
    if summary.get("reason"):
        lines.append(f"  because   {summary['reason']['message']}")
    lines += [*_work(summary), *_spent(summary), *_waiting(row)]
    for effect in summary.get("uncertain") or []:
        lines += _uncertain(row, effect)
    for step, output in (summary.get("outputs") or {}).items():
        lines.append(f"  output    {step}: {_short(output)}")
    if not summary.get("waiting_for") and not summary.get("uncertain") and resume_command(row):
        lines.append(f"  next      {resume_command(row)}")
    return lines


def _work(summary: JsonObject) -> list[str]:
    """How far a step with several assignments is."""
    work = summary.get("work")
    if not work or work["of"] == 1 or not work["open"]:
        return []
    return [f"  work      {work['made']} of {work['of']} begun, {work['open']} of them not ended"]


def _spent(summary: JsonObject) -> list[str]:
    """What agents reported to have spent, and how many did not."""
    spent = summary.get("spent") or {}
    parts = [f"{spent['tokens']} tokens"] if spent.get("tokens") else []
    if spent.get("cost_microdollars"):
        parts.append(f"{spent['cost_microdollars'] / 1_000_000:.2f} USD")
    if spent.get("unmetered"):
        parts.append(f"{spent['unmetered']} attempts of agents not metered")
    return [f"  spent     {', '.join(parts)}"] if parts else []


def _waiting(row: RunRow) -> list[str]:
    waiting: JsonObject | None = row.summary.get("waiting_for")
    if waiting is None:
        return []
    left = span_text(waiting["due_ms"] - row.elapsed_ms)
    resume = f"akm resume {row.run}"
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


def _uncertain(row: RunRow, effect: JsonObject) -> list[str]:
    return [
        f"  uncertain {effect['effect']} ({effect['class']}, tool {effect['tool']}): {effect['why']}",
        *(f"            tried: {name}: {_short(value)}" for name, value in (effect.get("tried") or {}).items()),
        f"  resolve   akm resolve {row.run} {effect['effect']} --as NAME --reason TEXT [--ref REF] --action",
        f"            one of {', '.join(effect['resolutions'])}; then akm resume {row.run}",
    ]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"

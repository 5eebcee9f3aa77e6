"""The command line: commands, their arguments, and an example for each."""

import argparse
from collections.abc import Sequence
from typing import NoReturn, TypeAlias

from akm import __version__
from akm.cli.reporting import UsageFault

ACTIONS = ("mark-completed", "confirm-absent", "compensated", "mark-failed", "cancel")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of one command; `handler` names its function. --help exits 0. Raises UsageFault."""
    return _parser().parse_args(arguments)


class _Parser(argparse.ArgumentParser):
    """Tells wrong usage as any other fault is told, so that --json holds for it too."""

    def error(self, message: str) -> NoReturn:
        raise UsageFault(f"{message}\n{self.format_usage().rstrip()}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="akm",
        description="Runs frozen plans durably: kill it anywhere, and it resumes.",
        epilog="Start with: akm run release.akm -p version=1.0.0",
    )
    parser.add_argument("--version", action="version", version=f"akm {__version__}")
    commands = parser.add_subparsers(prog=parser.prog, title="commands", metavar="COMMAND", required=True)
    _driving(commands)
    _simulating(commands)
    _showing(commands)
    _reporting(commands)
    _sending(commands)
    _caring(commands)
    return parser


Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"


def _command(commands: Commands, name: str, handler: str, does: str, example: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=does, description=does[0].upper() + does[1:] + ".", epilog=f"Example: akm {name} {example}"
    )
    command.set_defaults(handler=handler)
    command.add_argument("--store", metavar="DIR", help="the store (default: the nearest .akm, or AKM_STORE)")
    command.add_argument("--json", action="store_true", help="print exactly one JSON document")
    return command


def _driving(commands: Commands) -> None:
    run = _command(
        commands,
        "run",
        "akm.cli.run:run",
        "start a run of a plan or source, or drive an existing run on",
        "release.akm -p version=1.0.0",
    )
    run.add_argument("target", metavar="PLAN|SRC|RUN", help="a plan file, a source, or the id of a run")
    run.add_argument("-p", dest="parameters", metavar="NAME=VALUE", action="append", default=[], help="a parameter")
    run.add_argument("--params", metavar="FILE", help="a JSON object of parameters")
    run.add_argument("--id", metavar="RUN", help="the run's id; the same again is the same run")
    run.add_argument("--simulate", metavar="FILE", help="a script of how the work ends, in the place of real tools")
    run.add_argument(
        "--engine", choices=("local", "temporal"), default="local", help="what carries the run (default: local)"
    )
    resume = _command(commands, "resume", "akm.cli.run:resume", "drive an existing run on, from its journal", "RUN")
    resume.add_argument("run", metavar="RUN")
    for command in (run, resume):
        command.add_argument("--max-steps", metavar="N", help="park after N steps")
        command.add_argument("--timeout", metavar="SPAN", help="start nothing new after this long, as 30s or 2h")
        command.add_argument(
            "--log-format",
            choices=("text", "json"),
            default="text",
            help="what standard error says (default: text)",
        )
        command.add_argument(
            "--telemetry", action="store_true", help="send traces and metrics as the variables OTEL_* say"
        )
        command.add_argument("--wait", action="store_true", help="stay for decisions, signals and timers")


def _simulating(commands: Commands) -> None:
    simulate = _command(
        commands,
        "simulate",
        "akm.cli.simulate:simulate",
        "drive a plan through outcomes and crashes that are made up, and check every invariant",
        "release.akm --runs 500 --crash",
    )
    simulate.add_argument("target", metavar="PLAN|SRC", help="a plan file or a source")
    simulate.add_argument(
        "-p", dest="parameters", metavar="NAME=VALUE", action="append", default=[], help="a parameter"
    )
    simulate.add_argument("--runs", metavar="N", help="how many runs (default: 1000)")
    simulate.add_argument("--seed", metavar="S", type=int, default=1, help="the first run's seed (default: 1)")
    simulate.add_argument("--crash", action="store_true", help="let drivers crash at any write and any start")


def _showing(commands: Commands) -> None:
    listing = _command(commands, "list", "akm.cli.show:list_runs", "list the runs of the store", "--json")
    listing.add_argument("--status", metavar="STATUS", help="only runs in this state")
    listing.add_argument("--limit", metavar="N", default="100", help="at most N runs, the newest (default: 100)")
    verify = _command(commands, "verify", "akm.cli.show:verify", "replay journals and check every invariant", "RUN")
    verify.add_argument("run", metavar="RUN", nargs="?", help="the run; without it, every run and the whole store")
    for name, does in (
        ("status", "show where a run stands, what it waits for and what is uncertain"),
        ("log", "print a run's events"),
        ("digest", "print a run's unit-graph digest"),
        ("export", "print a run's events as JSON Lines"),
    ):
        command = _command(commands, name, f"akm.cli.show:{name}", does, "RUN")
        command.add_argument("run", metavar="RUN")
        if name == "log":
            command.add_argument("--follow", action="store_true", help="go on until the run ends")


def _reporting(commands: Commands) -> None:
    report = _command(commands, "report", "akm.cli.junit:report", "print a run as a test report", "RUN > run.xml")
    report.add_argument("run", metavar="RUN")
    report.add_argument("--format", choices=("junit",), default="junit", help="the form (default: junit)")


def _sending(commands: Commands) -> None:
    for name, does in (("approve", "approve what an approval step shows"), ("reject", "reject it")):
        decide = _command(commands, name, f"akm.cli.send:{name}", does, "RUN STEP --as alice")
        decide.add_argument("run", metavar="RUN")
        decide.add_argument("step", metavar="STEP")
        decide.add_argument("--as", dest="by", metavar="NAME", required=True, help="who decides")
        decide.add_argument("--reason", metavar="TEXT", default="", help="why")
    signal = _command(commands, "signal", "akm.cli.send:signal", "deliver a signal", "RUN go --data '{\"n\": 1}'")
    signal.add_argument("run", metavar="RUN")
    signal.add_argument("name", metavar="NAME")
    signal.add_argument("--data", metavar="JSON", help="the signal's data (default: null)")
    signal.add_argument("--key", metavar="KEY", help="makes a repeated delivery count once")
    cancel = _command(commands, "cancel", "akm.cli.send:cancel", "cancel a run", "RUN --reason 'no longer needed'")
    cancel.add_argument("run", metavar="RUN")
    cancel.add_argument("--reason", metavar="TEXT", default="", help="why")
    resolve = _command(
        commands,
        "resolve",
        "akm.cli.send:resolve",
        "settle an effect whose outcome could not be proven",
        "RUN pay#1/1 --action mark-completed --as alice --reason 'seen in the ledger' --ref TX-17",
    )
    resolve.add_argument("run", metavar="RUN")
    resolve.add_argument("effect", metavar="EFFECT", help="as `akm status` names it, such as pay#1/1")
    resolve.add_argument("--action", choices=ACTIONS, required=True, help="what is known")
    resolve.add_argument("--as", dest="by", metavar="NAME", required=True, help="who says so")
    resolve.add_argument("--reason", metavar="TEXT", required=True, help="how it is known")
    resolve.add_argument("--ref", metavar="REF", help="a receipt, or what else proves it")


def _caring(commands: Commands) -> None:
    gc = _command(
        commands,
        "gc",
        "akm.cli.care:gc",
        "remove ended runs and unused files, by age",
        "--older-than 30d --dry-run",
    )
    gc.description = "Removes ended runs and what nothing uses any more. Asks first, on standard input."
    gc.add_argument("--older-than", metavar="SPAN", default="30d", help="how long ago they ended (default: 30d)")
    asking = gc.add_mutually_exclusive_group()
    asking.add_argument("--yes", action="store_true", help="do not ask")
    asking.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    outbox = _command(
        commands, "outbox", "akm.cli.care:outbox", "show what is on its way to a hub, and what it refused", "--json"
    )
    outbox.add_argument("--project", metavar="NAME", help="from now on, events belong to this project")
    outbox.add_argument("--release", metavar=("RUN", "SEQUENCE"), nargs=2, help="send a rejected event again")
    outbox.add_argument("--as", dest="by", metavar="NAME", help="who releases it")
    outbox.add_argument("--reason", metavar="TEXT", help="why")
    outbox.add_argument("--limit", metavar="N", default="100", help="show N rejected events (default: 100)")

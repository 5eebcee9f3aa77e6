"""An editor at the other end of the real server: it speaks the protocol over the server's standard streams."""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

WAIT_S = 60

REGISTRY = """\
tool build { argv ["make"], effect read_only, timeout 5m }
tool model { argv ["model"], effect read_only }

agent coder { tool model }

group leads [alice, bob]
"""


class Editor:
    """One server process, and what it said."""

    def __init__(self, folder: Path, encodings: list[str] | None = None) -> None:
        self.folder = folder
        command = [sys.executable, "-m", "akmc", "lsp", "--stdio"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._ids = iter(range(1, 1_000_000))
        self._versions = iter(range(1, 1_000_000))
        self._answers: dict[int, dict[str, Any]] = {}
        self.published: list[dict[str, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self._heard: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        capabilities: dict[str, Any] = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
        if encodings is not None:
            capabilities["general"] = {"positionEncodings": encodings}
        self.capabilities = self.request(
            "initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities}
        )["capabilities"]
        self.notify("initialized", {})

    # Messages

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: object) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, params: object) -> int:
        """Sends a request and does not wait; gives its id."""
        number = next(self._ids)
        self.send({"id": number, "method": method, "params": params})
        return number

    def reply(self, number: int) -> dict[str, Any]:
        """The whole reply to a request: it has a `result` or an `error`."""
        self.wait(lambda: number in self._answers, lambda: f"a reply to request {number}")
        return self._answers.pop(number)

    def request(self, method: str, params: object) -> Any:
        """What the server answers."""
        reply = self.reply(self.ask(method, params))
        assert "error" not in reply, reply["error"]
        return reply["result"]

    def refusal(self, method: str, params: object) -> str:
        """Why the server does not answer."""
        reply = self.reply(self.ask(method, params))
        assert "result" not in reply, reply["result"]
        return str(reply["error"]["message"])

    def wait(self, until: Callable[[], bool], what: Callable[[], str]) -> None:
        """Takes what the server says, until `until` holds."""
        deadline = time.monotonic() + WAIT_S
        while not until():
            try:
                message = self._heard.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                pytest.fail(f"in {WAIT_S} seconds the server did not give {what()}")
            assert message is not None, f"the server ended before it gave {what()}"
            if "method" not in message:
                self._answers[message["id"]] = message
            elif message["method"] == "textDocument/publishDiagnostics":
                self.published.append(message["params"])
            else:
                self.asked.append(message)
                if "id" in message:
                    self.send({"id": message["id"], "result": None})

    def _listen(self) -> None:
        output = self.process.stdout
        assert output is not None
        while header := output.readline():
            length = int(header.partition(b":")[2])
            while output.readline().strip():
                pass
            self._heard.put(json.loads(output.read(length)))
        self._heard.put(None)

    # What an author does

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        document = {"uri": self.uri(name), "languageId": "akm", "version": next(self._versions), "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def edit(self, name: str, text: str, version: int | None = None) -> None:
        document = {"uri": self.uri(name), "version": version or next(self._versions)}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def close(self, name: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def findings(self, name: str, codes: list[str]) -> list[dict[str, Any]]:
        """The findings about a file, as soon as they are those with `codes`."""
        self.wait(lambda: self.codes(name) == codes, lambda: f"{codes} about {name}, but {self.codes(name)}")
        return self._last(name) or []

    def codes(self, name: str) -> list[str] | None:
        """The codes that were last told about a file; None when nothing was."""
        last = self._last(name)
        return None if last is None else [each["code"] for each in last]

    def _last(self, name: str) -> list[dict[str, Any]] | None:
        about = [each["diagnostics"] for each in self.published if each["uri"] == self.uri(name)]
        return about[-1] if about else None

    def at(self, name: str, line: int, character: int) -> dict[str, Any]:
        return {"textDocument": {"uri": self.uri(name)}, "position": {"line": line, "character": character}}

    def leave(self) -> int:
        """Says goodbye; gives the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(timeout=WAIT_S)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a registry, and a name that has to be quoted in an address."""
    found = tmp_path_factory.mktemp("a folder é")
    (found / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def start() -> Iterator[Callable[..., Editor]]:
    """Starts servers; each that a test leaves running is killed."""
    started: list[Editor] = []

    def started_in(folder: Path, encodings: list[str] | None = None) -> Editor:
        started.append(Editor(folder, encodings))
        return started[-1]

    yield started_in
    for each in started:
        each.process.kill()
        each.process.communicate()


@pytest.fixture(scope="module")
def editor(folder: Path, start: Callable[..., Editor]) -> Iterator[Editor]:
    """An editor whose server is shared by the tests of a module; each opens files of its own."""
    found = start(folder)
    yield found
    assert found.leave() == 0

"""The shell of the language server: messages in, messages out. Other modules know what they are about."""

import asyncio
import logging
import os
import sys
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException
from pygls.lsp.server import LanguageServer

from akm_specs import __version__
from akmc.diagnostic import CompileFailed
from akmc.lsp.buffers import Buffer, Buffers
from akmc.lsp.checking import Checking
from akmc.lsp.completion import offers_at
from akmc.lsp.edits import layout_edits
from akmc.lsp.hover import hover_at
from akmc.lsp.names import definition_of, mention_at, mentions_of
from akmc.lsp.positions import Lines
from akmc.lsp.rename import RenameRefused, renamable, renamed
from akmc.lsp.translation import encoding_of, lines_of, offered, offset_of, path_of, range_of, shown, uri_of
from akmc.source import SourceUnreadable

#: How long an author has to pause before the text is checked, in seconds.
PAUSE_S = 0.1

#: What the client shows as an answer, not as a fault of the server.
_REQUEST_FAILED = types.LSPErrorCodes.RequestFailed.value
_WATCHED = types.FileSystemWatcher(glob_pattern="**/*.akm")

_Whole = types.TextDocumentContentChangeWholeDocument

P = TypeVar("P")
#: What is asked about a place.
_AtPlace: TypeAlias = (
    types.HoverParams
    | types.DefinitionParams
    | types.CompletionParams
    | types.PrepareRenameParams
    | types.RenameParams
)
T = TypeVar("T")


class Server:
    """One connection with one editor."""

    def __init__(self) -> None:
        self._protocol = LanguageServer("akmc", __version__, types.TextDocumentSyncKind.Full)
        self._buffers = Buffers()
        self._checking = Checking(self._buffers)
        self._changed: set[str] = set()
        self._pause: asyncio.TimerHandle | None = None
        self._shut_down = False
        for feature, handler, options in self._features():
            self._protocol.feature(feature, options)(_answering(handler))

    def serve(self) -> bool:
        """Answers on standard input and output until the editor leaves. Gives whether it said goodbye first."""
        if not os.environ.get("AKM_DEBUG"):
            logging.getLogger("pygls").setLevel(logging.CRITICAL)
        with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as output:
            self._protocol.start_io(sys.stdin.buffer, output)
        return self._shut_down

    def _features(self) -> list[tuple[str, Callable[[Any], object], object]]:
        dotted = types.CompletionOptions(trigger_characters=["."])
        return [
            (types.INITIALIZED, self._initialized, None),
            (types.SHUTDOWN, self._shutdown, None),
            (types.TEXT_DOCUMENT_DID_OPEN, self._opened, None),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._edited, None),
            (types.TEXT_DOCUMENT_DID_CLOSE, self._closed, None),
            (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, self._files_changed, None),
            (types.TEXT_DOCUMENT_HOVER, self._hover, None),
            (types.TEXT_DOCUMENT_DEFINITION, self._definition, None),
            (types.TEXT_DOCUMENT_COMPLETION, self._completion, dotted),
            (types.TEXT_DOCUMENT_PREPARE_RENAME, self._prepare_rename, None),
            (types.TEXT_DOCUMENT_RENAME, self._rename, types.RenameOptions(prepare_provider=True)),
            (types.TEXT_DOCUMENT_FORMATTING, self._formatting, None),
        ]

    # What changes

    def _initialized(self, params: types.InitializedParams) -> None:
        """Asks to be told when a file changes that is not open, where the client can do that."""
        workspace = self._protocol.client_capabilities.workspace
        watching = None if workspace is None else workspace.did_change_watched_files
        if watching is not None and watching.dynamic_registration:
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers=[_WATCHED])
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration(id=method, method=method, register_options=options)
            self._protocol.client_register_capability(types.RegistrationParams([registration]))

    def _shutdown(self, params: None) -> None:
        self._shut_down = True

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        path = path_of(document.uri)
        self._buffers.close(path)
        self._buffers.put(Buffer(document.uri, path, document.version, document.text))
        self._check_soon(path)

    def _edited(self, params: types.DidChangeTextDocumentParams) -> None:
        """Takes the whole new text: only that is asked for, so each change replaces all the ones before."""
        document = params.text_document
        path = path_of(document.uri)
        wholes = [each for each in params.content_changes if isinstance(each, _Whole)]
        if wholes and self._buffers.get(path) is not None:
            self._buffers.put(Buffer(document.uri, path, document.version, wholes[-1].text))
            self._check_soon(path)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        self._buffers.close(path)
        self._check_soon(path)

    def _files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Checks every open file again: it may use a registry or a child that was saved, or a script."""
        for buffer in self._buffers:
            self._check_soon(buffer.path)

    def _check_soon(self, path: str) -> None:
        self._changed.add(path)
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(PAUSE_S, self._check)

    def _check(self) -> None:
        changed, self._changed = self._changed, set()
        try:
            news = self._checking.check(changed)
        except Exception as error:  # a fault of ours must not end what else the editor gets
            self._protocol.report_server_error(error, FeatureNotificationError)
            return
        for path, findings in news.items():
            buffer = self._buffers.get(path)
            told = types.PublishDiagnosticsParams(
                uri=uri_of(self._buffers, path),
                diagnostics=shown(findings, self._lines(path)),
                version=None if buffer is None else buffer.version,
            )
            self._protocol.text_document_publish_diagnostics(told)

    # What is asked

    def _hover(self, params: types.HoverParams) -> types.Hover | None:
        path, lines, offset = self._place(params)
        found = hover_at(self._buffers, self._checking.findings(path), path, offset)
        if found is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, found.markdown)
        return types.Hover(content, range_of(lines, found.span))

    def _definition(self, params: types.DefinitionParams) -> types.Location | None:
        path, _, offset = self._place(params)
        source = self._buffers.source(path)
        mention = mention_at(mentions_of(source), offset)
        found = None if mention is None else definition_of(self._buffers, source, mention)
        if found is None:
            return None
        home = found.source.path
        return types.Location(uri_of(self._buffers, home), range_of(self._lines(home), found.mention.span))

    def _completion(self, params: types.CompletionParams) -> list[types.CompletionItem]:
        path, lines, offset = self._place(params)
        span, offers = offers_at(self._buffers, path, offset)
        return offered(offers, range_of(lines, span))

    def _prepare_rename(self, params: types.PrepareRenameParams) -> types.Range:
        path, lines, offset = self._place(params)
        return range_of(lines, renamable(self._buffers.source(path), offset).span)

    def _rename(self, params: types.RenameParams) -> types.WorkspaceEdit:
        path, lines, offset = self._place(params)
        source, registry = self._buffers.source(path), self._buffers.registry_beside(path)
        spans = renamed(source, registry, offset, params.new_name)
        edits = [types.TextEdit(range_of(lines, span), params.new_name) for span in spans]
        return types.WorkspaceEdit(changes={params.text_document.uri: edits})

    def _formatting(self, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        """Nothing for a text with syntax errors, which are shown already. Line ends stay as the editor has them."""
        path = path_of(params.text_document.uri)
        buffer, lines = self._buffers.get(path), self._lines(path)
        line_end = "\r\n" if buffer is not None and "\r\n" in buffer.text else "\n"
        try:
            edits = layout_edits(self._buffers.source(path))
        except CompileFailed:
            return None
        return [types.TextEdit(range_of(lines, edit.span), edit.text.replace("\n", line_end)) for edit in edits]

    def _place(self, params: _AtPlace) -> tuple[str, Lines, int]:
        """The file that is asked about, its lines, and where in it."""
        path = path_of(params.text_document.uri)
        lines = self._lines(path)
        return path, lines, offset_of(lines, params.position)

    def _lines(self, path: str) -> Lines:
        return lines_of(self._buffers, path, encoding_of(self._protocol.workspace.position_encoding))


def _answering(handler: Callable[[P], T]) -> Callable[[P], T]:
    """`handler`, whose refusals reach the author as they are: they are no faults of the server."""

    def answer(params: P) -> T:
        try:
            return handler(params)
        except (RenameRefused, SourceUnreadable) as refused:
            raise JsonRpcException(str(refused), _REQUEST_FAILED) from refused

    return answer

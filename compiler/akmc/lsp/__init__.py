"""The language server, `akmc lsp`: functions over open files, and one module, `server`, that speaks the protocol.

What it offers is described in docs/guide/editors.md.
"""

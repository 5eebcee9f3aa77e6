"""Traces and metrics of runs by OpenTelemetry (docs/reference/telemetry.md), loaded only where they are asked for.

They are told what was committed and decide nothing: no event, hash or outcome depends on them.
"""

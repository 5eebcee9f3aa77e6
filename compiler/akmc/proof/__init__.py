"""Proofs about a plan: its bounded state space, what must hold in it, and the worst that a run can come to.

Start at `verification.py`. A plan is read into a `model`; `budgets` finds which counters can matter, `space`
packs them into states, `search` looks for a shortest run that breaks a property, and `longest` for the run
that costs most. Why each reduction changes no answer: docs/decisions/0020-proof-by-exploration.md.
"""

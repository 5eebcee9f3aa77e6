"""The pure core: `decide(plan, state, observation)`, `evolve(plan, state, event)`, `pending(plan, state)`.

No clock, no randomness, no IO, no environment. Time, ids, process facts and replies come in as observations.
"""

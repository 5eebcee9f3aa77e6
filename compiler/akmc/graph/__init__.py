"""Drawing plans and lifecycles: as Mermaid, as DOT, as SVG, and as a Promela model for SPIN.

`drawing.py` says what there is to draw, whatever it is drawn as. Promela is no drawing: it is the same state space
that `akmc.proof` explores, written so that another program can explore it too.
"""

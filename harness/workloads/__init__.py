"""The workloads: Mountain Goat programs of any size, each with a hand-derived gradient.

A module for each. `value(...)` is the text of the program that prints the loss; `hand_derived(...)` is the same text
with the backward pass that somebody would write, and prints the loss and then the gradient of each of `PARAMETERS`, in
their order. Both take the workload's sizes. The data and the weights follow from the sizes alone.
"""

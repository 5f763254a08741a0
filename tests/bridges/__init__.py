"""Trainers of other projects over the gym: `make bridges` runs the recipes of docs/gym.md with the real libraries.

Each module runs in the environment of its library, asserts what must hold, and returns lines of a table. Models are
tiny: a server on loopback that knows the answers to half of the questions, and a transformer of random weights.
"""

"""Sweeps: generate, answer and grade every combination of settings, systems and views, each in its own folder."""

from evaluation.goldevidence.experiments.sweep.contestants import Contestant
from evaluation.goldevidence.experiments.sweep.grid import Cell, Grid
from evaluation.goldevidence.experiments.sweep.hooks import NO_HOOKS, Hooks, Sweep
from evaluation.goldevidence.experiments.sweep.running import run_sweep

__all__ = ["NO_HOOKS", "Cell", "Contestant", "Grid", "Hooks", "Sweep", "run_sweep"]

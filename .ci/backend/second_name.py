"""Makes `goldevidencebench` a second name of `evaluation` in a checkout; each module is loaded once."""

import sys
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

import evaluation


class _SecondName(MetaPathFinder, Loader):
    def find_spec(self, name, path=None, target=None):
        if not name.startswith(f"{__name__}."):
            return None
        module = import_module("evaluation" + name.removeprefix(__name__))
        spec = ModuleSpec(name, self, is_package=hasattr(module, "__path__"))
        spec.loader_state = module, module.__spec__
        return spec

    def create_module(self, spec):
        return spec.loader_state[0]

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state[
            1
        ]  # undo the spec that importing under this name has set

    def get_code(self, name):  # python -m goldevidencebench
        own = import_module("evaluation" + name.removeprefix(__name__)).__spec__
        return own.loader.get_code(own.name)


sys.meta_path.insert(0, _SecondName())
sys.modules[__name__] = evaluation

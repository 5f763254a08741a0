"""A local language model that is asked prompts and answers in a given form. Used by every adapter that needs
one.
"""

from __future__ import annotations

import ctypes
import platform
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from evaluation.adapters.base import ShouldStop, Usage
from evaluation.adapters.forms import Choice, Fixed, Form, Prose, Thinking
from evaluation.adapters.llama import model_file
from evaluation.adapters.llama.engine import Engine
from evaluation.adapters.llama.library import Repack, llama_api, usable_cores
from evaluation.adapters.llama.writer import Task, Writer
from evaluation.adapters.replies import Reply
from evaluation.adapters.settings import AdapterSettings
from evaluation.adapters.thinking import begins_inside, thinking_marks
from evaluation.core.errors import AdapterError
from evaluation.core.rng import Stream
from evaluation.core.row_states import RowState

PATH_SETTINGS = ("model", "builder_model", "linear_model")
TEMPLATE_DATE = "01 Jan 2025"  # some chat templates print today's date: a prompt must not change overnight


class ModelSettings(AdapterSettings):
    """How a GGUF file is run. Greedy and seeded by default."""

    model: str = Field("", description="The path of a GGUF file.")
    context: int = Field(8192, ge=1, description="Tokens; never more than the model was trained with.")
    batch: int = Field(512, ge=1, description="Tokens that are evaluated at a time.")
    threads: int = Field(0, description="0: all cores that this process may use.")
    gpu_layers: int = Field(0, description="Layers on the graphics card.")
    flash_attention: bool = Field(
        False, description="Faster on long texts; answers may depend on how rows are batched."
    )
    repack: Repack = Field("auto", description="Quantized weights rearranged for the processor.")
    parallel: int = Field(4, ge=1, le=64, description="Answers written side by side.")
    temperature: float = Field(0.0, ge=0, le=10, description="0: the likeliest token.")
    seed: int = Field(0, description="Of the random stream of each row.")
    chat_template: bool = Field(True, description="The model's own, where its metadata has one.")
    reuse_prefix: bool = Field(True, description="Texts shown twice are evaluated once.")


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to the model. `name` keys its random stream (a row id).

    `thinks`: whether the chat template is told that the model may think.
    """

    name: str
    system: str
    user: str
    form: Form
    thinks: bool = False


class LanguageModel:
    """A loaded model. Not for use from two threads at once."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.engine = Engine(
            settings.model,
            context=settings.context,
            batch=settings.batch,
            threads=settings.threads,
            gpu_layers=settings.gpu_layers,
            sequences=settings.parallel,
            flash_attention=settings.flash_attention,
            repack=settings.repack,
        )
        self._writer = Writer(
            self.engine,
            parallel=settings.parallel,
            temperature=settings.temperature,
            reuse=settings.reuse_prefix,
        )
        self._format = self._chat_format()

    def ask(self, asks: Sequence[Ask]) -> list[Reply]:
        """The replies, in order. Asks that share the beginning of their prompt belong in one call."""
        if not asks:
            return []
        tasks = [Task(self._tokens(a), a.form, Stream("sampling", self.settings.seed, a.name)) for a in asks]
        self._writer.write(tasks)
        return [self._reply(ask, task) for ask, task in zip(asks, tasks, strict=True)]

    def score(self, ask: Ask) -> tuple[list[float], Usage]:
        """The log-probability of each option of the form's choice, nothing decoded."""
        fixed, options = _split(ask.form)
        usage = Usage()
        prompt = self._tokens(ask) + self.engine.tokenize(fixed)
        return self._writer.score(prompt, options, usage), usage

    def score_labels(self, ask: Ask, labels: Sequence[str]) -> tuple[list[float], Usage]:
        """The log-probability of each label as the first token of the reply, nothing decoded.

        Args:
            ask: The question; its form is not used.
            labels: Of `labels`.

        Returns:
            In nats, in the order of the labels, and what it cost.
        """
        usage = Usage()
        scores = self._writer.next_token(self._tokens(ask), usage)
        tokens = [self.engine.tokenize(label)[0] for label in labels]
        return [float(scores[token]) for token in tokens], usage

    def score_texts(self, ask: Ask, texts: Sequence[str]) -> tuple[list[float], Usage]:
        """The log-probability of each text as the reply, per token: long texts stand on a par with short ones.

        Args:
            ask: The question; its form is not used.
            texts: The texts to compare.

        Returns:
            In nats per token, in the order of the texts, and what it cost.
        """
        usage = Usage()
        sums = self._writer.score(self._tokens(ask), texts, usage)
        return [total / max(self.count(text), 1) for total, text in zip(sums, texts, strict=True)], usage

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Letters that are one token of this model, capital ones first: at most 52."""
        letters = string.ascii_uppercase + string.ascii_lowercase
        return tuple(letter for letter in letters if len(self.engine.tokenize(letter)) <= 1)

    @cached_property
    def own_thinking(self) -> tuple[str, str] | None:
        """How the model's chat template marks thinking: (begin, end). None where it knows of none."""
        template = self.engine.chat_template if self.settings.chat_template else None
        return thinking_marks(template or "")

    def thinking(self, room: int, otherwise: str) -> Thinking:
        """The part of a form in which the model thinks.

        Args:
            room: Tokens at most.
            otherwise: What stands between thoughts and answer of a model without marks of its own.
        """
        if self.own_thinking is None:
            return Thinking(room, "", otherwise)
        begin, end = self.own_thinking
        opened = begins_inside(self._rendered(Ask("", "", "", (), thinks=True)))
        return Thinking(room, "" if opened else begin, end)

    def count(self, text: str) -> int:
        """Tokens of a text."""
        return len(self.engine.tokenize(text))

    def room_for(self, system: str, user: str, form: Form, *, thinks: bool = False) -> int:
        """Tokens that remain for evidence beside these words and the answer.

        Args:
            system: The system prompt.
            user: The user's turn, without the evidence.
            form: The form of the answer; its longest text is left free.
            thinks: Whether the chat template is told that the model may think.

        Returns:
            The number of tokens, negative where even the words do not fit.
        """
        bare = len(self._tokens(Ask("", system, user, form, thinks)))
        return self.engine.context - bare - self._writer.longest(form) - 8

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while the model computes."""
        self.engine.stop_when(should_stop)

    def provenance(self) -> dict[str, Any]:
        """What is needed to repeat the run, but the rows and the command."""
        api = llama_api()
        return {
            "model": model_file.inspect(self.settings.model).as_dict(),
            "settings": public_settings(self.settings),
            "context": self.engine.context,
            "llama_cpp_python": api.__version__,
            "llama_cpp": _library_version(),
            "system_info": api.llama_print_system_info().decode().strip(),
            "hardware": {
                "machine": platform.machine(),
                "cores": usable_cores(),
                "system": platform.platform(),
            },
        }

    def close(self) -> None:
        """Free the model."""
        self.engine.close()

    def _reply(self, ask: Ask, task: Task) -> Reply:
        """What was written. Some templates begin the thinking themselves, at the end of the prompt."""
        free = any(isinstance(part, Prose) for part in ask.form)
        thinks = free and self._format is not None and begins_inside(self._rendered(ask))
        text = f"<think>{task.text}" if thinks else task.text
        return Reply(text, task.usage, RowState.CUT_OFF if task.cut else None)

    def _tokens(self, ask: Ask) -> list[int]:
        if self._format is None:
            text = f"{ask.system}\n\n{ask.user}\nAnswer: "
            return self.engine.tokenize(text, begin=self.engine.wants_begin)
        return self.engine.tokenize(self._rendered(ask), special=True)

    def _rendered(self, ask: Ask) -> str:
        """The chat as the model's own template writes it; without a system turn where the template refuses
        one.
        """
        turns = [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.user}]
        try:
            return self._render(turns, ask.thinks)
        except Exception:  # a template raises whatever its author wrote
            return self._render([{"role": "user", "content": f"{ask.system}\n\n{ask.user}"}], ask.thinks)

    def _render(self, turns: list[dict[str, str]], thinks: bool) -> str:
        assert self._format is not None
        text: str = self._format(messages=turns, enable_thinking=thinks, date_string=TEMPLATE_DATE).prompt
        return text

    def _chat_format(self) -> Any:
        template = self.engine.chat_template if self.settings.chat_template else None
        if template is None:
            return None
        from llama_cpp.llama_chat_format import Jinja2ChatFormatter

        chat = Jinja2ChatFormatter(
            template=template,
            bos_token=self.engine.special_text("bos"),
            eos_token=self.engine.special_text("eos"),
        )
        setattr(chat, "strftime_now", lambda _format: TEMPLATE_DATE)  # noqa: B010 - a static method there
        return chat


def public_settings(settings: ModelSettings) -> dict[str, Any]:
    """The settings with models by their file name: paths of this machine are nobody's business."""
    values = settings.model_dump()
    return values | {name: Path(values[name]).name for name in PATH_SETTINGS if values.get(name)}


def _split(form: Form) -> tuple[str, tuple[str, ...]]:
    match form:
        case (Fixed(text), Choice(options), *_):
            return text, options
    raise AdapterError("only a form that begins with fixed text and a choice can be scored")


def _library_version() -> str:
    """llama.cpp's own version, where its library tells it."""
    library = getattr(llama_api().llama_cpp, "_lib", None)
    function = getattr(library, "llama_version", None)
    if function is None:
        return "unknown"
    function.restype = ctypes.c_char_p
    return str(function().decode())

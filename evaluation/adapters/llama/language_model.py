"""A local language model that answers prompts in a given form; shared by all adapters with a local model."""

from __future__ import annotations

import ctypes
import platform
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self, cast

from pydantic import Field, model_validator

from evaluation.adapters.base import ShouldStop, Told, Usage
from evaluation.adapters.forms import Choice, Fixed, Form, Prose, Thinking
from evaluation.adapters.llama import model_file
from evaluation.adapters.llama.chat import ChatTemplate
from evaluation.adapters.llama.engine import Engine, EngineSettings, KVType
from evaluation.adapters.llama.library import Repack, llama_api, usable_cores
from evaluation.adapters.llama.no_engine import NoEngine
from evaluation.adapters.llama.sharing import engine_for, release
from evaluation.adapters.llama.writing.drafting import Draft
from evaluation.adapters.llama.writing.scorer import Scorer
from evaluation.adapters.llama.writing.writer import Task, Writer
from evaluation.adapters.replies import Reply
from evaluation.adapters.settings import AdapterSettings
from evaluation.adapters.thinking import begins_inside, thinking_marks
from evaluation.adapters.transcripts.record import Exchange, local_tokens, prompt_sha256
from evaluation.adapters.transcripts.recording import models_are_needed, tell_asked, tell_replied
from evaluation.core.errors import AdapterError
from evaluation.core.rng import Stream
from evaluation.core.row_states import RowState
from evaluation.core.settings import refused

PATH_SETTINGS = ("model", "builder_model", "linear_model", "lora", "draft_model")
PLAIN_KV = ("f16", "f32", "bf16")


class ModelSettings(AdapterSettings):
    """Options for running a GGUF file. The default is greedy decoding."""

    model: str = Field("", description="The path of a GGUF file.")
    context: int = Field(8192, ge=1, description="Context in tokens; at most the model's training context.")
    batch: int = Field(512, ge=1, description="Tokens processed by llama.cpp at a time.")
    ubatch: int = Field(
        0,
        ge=0,
        description="Maximum number of tokens computed at a time. With parallel=1, a batch also ends at each line end. "
        "0 means 48, or the value of `batch` if parallel is above 1.",
    )
    threads: int = Field(0, description="CPU threads; 0: all cores that this process may use.")
    gpu_layers: int = Field(0, description="Number of layers computed on the graphics card.")
    flash_attention: bool = Field(False, description="Use flash attention: faster on long texts.")
    kv_type: KVType = Field(
        "f16", description="Number format of the KV cache; quantized formats need flash_attention=true."
    )
    repack: Repack = Field("auto", description="Rearrange quantized weights for this processor (faster).")
    lora: str = Field("", description="The path of a LoRA adapter's GGUF file, applied at full strength.")
    draft_model: str = Field(
        "", description="The path of a small model of the same family that drafts answers (temperature 0)."
    )
    parallel: int = Field(
        1,
        ge=1,
        le=64,
        description="Answers written at the same time. More than 1 is faster with large models and on graphics cards, "
        "but answers may then depend on which rows share a batch.",
    )
    temperature: float = Field(
        0.0, ge=0, le=10, description="Sampling temperature; 0: always the likeliest token."
    )
    seed: int = Field(0, description="Seed for sampling; each row has its own random stream.")
    chat_template: bool = Field(True, description="Use the model's chat template, if its metadata has one.")
    reuse_prefix: bool = Field(True, description="Evaluate the common beginning of prompts only once.")

    @model_validator(mode="after")
    def _go_together(self) -> Self:
        if self.kv_type not in PLAIN_KV and not self.flash_attention:
            raise refused(f"can be {self.kv_type} only with flash_attention=true", field="kv_type")
        if self.draft_model and (self.temperature or self.parallel > 1):
            raise refused("needs temperature=0 and parallel=1", field="draft_model")
        if self.draft_model and self.draft_model == self.model and not self.lora:
            raise refused("must be a different file than model", field="draft_model")
        return self


@dataclass(frozen=True, slots=True)
class Ask:
    """One question. Its `name` (a row id) seeds the sampling. `thinks`: the model may think before answering."""

    name: str
    system: str
    user: str
    form: Form
    thinks: bool = False


class LanguageModel:
    """A loaded model. Not thread-safe."""

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings
        self.engine = _engine(settings) if models_are_needed() else cast(Engine, NoEngine())
        self._drafter = _drafter(settings) if models_are_needed() else None
        self._writer = Writer(
            self.engine,
            parallel=settings.parallel,
            temperature=settings.temperature,
            reuse=settings.reuse_prefix,
            draft=Draft(self._drafter, self.engine) if self._drafter else None,
        )
        self._scorer = Scorer(self.engine, parallel=settings.parallel, reuse=settings.reuse_prefix)
        self._format = _chat_template(self.engine) if settings.chat_template else None

    def ask(self, asks: Sequence[Ask]) -> list[Reply]:
        """The replies, in the order of the questions. Pass questions with a common prompt prefix in one call."""
        if not asks:
            return []
        for ask in asks:
            tell_asked(ask.name, ask.system, ask.user)
        tasks = [Task(self._tokens(a), a.form, Stream("sampling", self.settings.seed, a.name)) for a in asks]
        self._writer.write(tasks)
        replies = [self._reply(ask, task) for ask, task in zip(asks, tasks, strict=True)]
        for ask, reply in zip(asks, replies, strict=True):
            self._tell(ask, reply.text, "stop" if reply.trouble is None else "length", reply.usage)
        return replies

    def score(self, ask: Ask) -> tuple[list[float], Usage]:
        """Score each option of the choice in `ask.form`. Returns log probabilities (nats) and cost."""
        fixed, options = _split(ask.form)
        usage = Usage()
        tell_asked(ask.name, ask.system, ask.user)
        prompt = self._tokens(ask) + self.engine.tokenize(fixed)
        scores = self._scorer.score(prompt, options, usage)
        self._tell_scored(ask, options, scores, usage)
        return scores, usage

    def score_labels(self, ask: Ask, labels: Sequence[str]) -> tuple[list[float], Usage]:
        """Score each label as the first token of the reply. Returns log probabilities (nats) and cost."""
        usage = Usage()
        tell_asked(ask.name, ask.system, ask.user)
        likely = self._scorer.next_token(self._tokens(ask), usage)
        scores = [float(likely[self.labels[label]]) for label in labels]
        self._tell_scored(ask, labels, scores, usage)
        return scores, usage

    def score_texts(self, ask: Ask, texts: Sequence[str]) -> tuple[list[float], Usage]:
        """Score each text as the reply; the form is ignored. Returns log probabilities (nats per token) and cost."""
        usage = Usage()
        tell_asked(ask.name, ask.system, ask.user)
        sums = self._scorer.score(self._tokens(ask), texts, usage)
        # per token, so that length does not matter
        scores = [total / max(self.count(text), 1) for total, text in zip(sums, texts, strict=True)]
        self._tell_scored(ask, texts, scores, usage)
        return scores, usage

    @cached_property
    def labels(self) -> dict[str, int]:
        """Map letters to tokens, for the letters (capitals first) that are a single token of this model."""
        found: dict[str, int] = {}
        for letter in string.ascii_uppercase + string.ascii_lowercase:
            tokens = self.engine.tokenize(letter)
            if len(tokens) == 1 and tokens[0] not in found.values():
                found[letter] = tokens[0]
        return found

    @cached_property
    def own_thinking(self) -> tuple[str, str] | None:
        """Begin and end mark of thinking. None if the chat template has none or the setting `chat_template` is off."""
        template = self.engine.chat_template if self.settings.chat_template else None
        return thinking_marks(template or "")

    def thinking(self, room: int, otherwise: str) -> Thinking:
        """The thinking part of a form, at most `room` tokens. `otherwise`: the end mark if the model has none."""
        if self.own_thinking is None:
            return Thinking(room, "", otherwise)
        begin, end = self.own_thinking
        opened = begins_inside(self._rendered(Ask("", "", "", (), thinks=True)))
        return Thinking(room, "" if opened else begin, end)

    def count(self, text: str) -> int:
        return len(self.engine.tokenize(text))

    def room_for(self, system: str, user: str, form: Form, *, thinks: bool = False) -> int:
        """Tokens of the context that this prompt and the longest answer leave free. Negative if they do not fit."""
        bare = len(self._tokens(Ask("", system, user, form, thinks)))
        return self.engine.context - bare - self._writer.longest(form) - 8

    def tell_reading(self, told: Told) -> None:
        self.engine.tell_reading(told)

    def stop_when(self, should_stop: ShouldStop) -> None:
        self.engine.stop_when(should_stop)

    def provenance(self) -> dict[str, object]:
        """Data needed to repeat the run, except the rows and the command."""
        api = llama_api()
        return {
            "model": model_file.inspect(self.settings.model).as_dict(),
            **{
                name: model_file.inspect(path, takes=("adapter" if name == "lora" else "model",)).as_dict()
                for name in ("lora", "draft_model")
                if (path := getattr(self.settings, name))
            },
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
        release(self.engine)
        if self._drafter is not None:
            release(self._drafter)

    def _reply(self, ask: Ask, task: Task) -> Reply:
        """The reply to a question. It begins with `<think>` if the chat template ended the prompt with this mark."""
        free = any(isinstance(part, Prose) for part in ask.form)
        thinks = free and self._format is not None and begins_inside(self._rendered(ask))
        text = f"<think>{task.text}" if thinks else task.text
        return Reply(text, task.usage, RowState.CUT_OFF if task.cut else None)

    def _tell_scored(self, ask: Ask, options: Sequence[str], scores: Sequence[float], usage: Usage) -> None:
        if options:
            self._tell(ask, options[max(range(len(options)), key=scores.__getitem__)], "scored", usage)

    def _tell(self, ask: Ask, reply: str, finish: str, usage: Usage) -> None:
        tell_replied(
            ask.name,
            Exchange(
                prompt_sha256(ask.system, ask.user),
                reply,
                finish_reason=finish,
                tokens=local_tokens(usage),
                latency_ms=round(1000 * usage.wall_s, 1),
                model=Path(self.settings.model).name,
                fingerprint=f"llama-cpp-python {llama_api().__version__}",
            ),
        )

    def _tokens(self, ask: Ask) -> list[int]:
        if self._format is None:
            text = f"{ask.system}\n\n{ask.user}\nAnswer: "
            return self.engine.tokenize(text, begin=self.engine.wants_begin)
        return self.engine.tokenize(self._rendered(ask), special=True)

    def _rendered(self, ask: Ask) -> str:
        assert self._format is not None
        return self._format.prompt(ask.system, ask.user, thinks=ask.thinks)


def _engine(settings: ModelSettings) -> Engine:
    options = EngineSettings(
        context=settings.context,
        batch=settings.batch,
        threads=settings.threads,
        gpu_layers=settings.gpu_layers,
        sequences=settings.parallel,
        ubatch=settings.ubatch,
        flash_attention=settings.flash_attention,
        kv_type=settings.kv_type,
        repack=settings.repack,
        lora=settings.lora,
    )
    return engine_for((settings.model, options), lambda: Engine(settings.model, options))


def _drafter(settings: ModelSettings) -> Engine | None:
    if not settings.draft_model:
        return None
    return _engine(settings.having(model=settings.draft_model, draft_model="", lora=""))


def _chat_template(engine: Engine) -> ChatTemplate | None:
    try:
        return ChatTemplate.from_engine(engine)
    except Exception as error:  # what its author wrote is not a template
        why = " ".join(str(error).split())[:200]
        raise AdapterError(
            f"the model's chat template cannot be read ({why}): set chat_template=false to send plain text"
        ) from error


def public_settings(settings: ModelSettings) -> dict[str, object]:
    """The settings, with file names instead of local paths, which are private."""
    values = settings.model_dump()
    return values | {name: Path(values[name]).name for name in PATH_SETTINGS if values.get(name)}


def _split(form: Form) -> tuple[str, tuple[str, ...]]:
    match form:
        case (Fixed(text), Choice(options), *_):
            return text, options
    raise AdapterError("cannot score this form: it must begin with fixed text and a choice")


def _library_version() -> str:
    library = getattr(llama_api().llama_cpp, "_lib", None)
    function = getattr(library, "llama_version", None)
    if function is None:
        return "unknown"
    function.restype = ctypes.c_char_p
    return str(function().decode())

"""What a system is: a model in a revision, and what runs and prompts it, as a source states it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

ROLES = ("revision", "adapter", "precision", "backend", "prompt_variant")
"""Roles of columns that tell systems of one model apart."""
_HASH = re.compile(r"[0-9a-f]{12,}")
_USUAL = {"revision": {"main", "master", "latest"}, "precision": {"float32"}, "backend": {"hf"}}
"""What is in no name, since most systems have it."""
_UNSAID = {"auto", "default", "no_revision_available"}
"""What a source writes where it does not say."""
_SPELLINGS = {
    "precision": dict.fromkeys(("float", "fp32"), "float32"),
    "backend": dict.fromkeys(
        ("huggingface", "gpt2", "hf-auto", "hf-causal", "hf-causal-experimental"), "hf"
    ),
}
"""Other words for the same: the harness has renamed the back-end twice."""
_OF_CACHE = re.compile(r".*models--([^/\\]+?)--([^/\\]+)/snapshots/([^/\\]+)/?", re.DOTALL)
"""Where Hugging Face's cache keeps a model: the path states its name and its commit."""
_NOTHING = {"", "none", "null", "n/a", "na", "nan", "-", "false"}


@dataclass(frozen=True, slots=True)
class Identity:
    """A system, taken apart."""

    model: str
    revision: str = ""
    """A commit, a version or a step of training."""
    adapter: str = ""
    precision: str = ""
    """Of the numbers: float16, int4, a way of quantisation."""
    backend: str = ""
    """What runs the model: vllm, llama.cpp, an API."""
    prompt_variant: str = ""

    def name(self, *, has_several: bool = False) -> str:
        """Return what tells this system from others, to read: ``pythia-1b@step1000 (int4, vllm)``.

        What is usual, such as the revision "main", is not in the name, nor is a commit, unless the
        source `has_several` revisions of the model.
        """
        revision = self._unusual("revision")
        if _HASH.fullmatch(revision):
            revision = revision[:8] if has_several else ""
        more = [self._unusual(role) for role in ROLES[1:]]
        told = ", ".join(part for part in more if part)
        return self.model + f"@{revision}" * bool(revision) + f" ({told})" * bool(told)

    @property
    def stated(self) -> dict[str, str]:
        """Field -> what the source states, the model included; empty when it states no other."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        told = {name: value for name, value in told.items() if value}
        return told if len(told) > 1 else {}

    def _unusual(self, role: str) -> str:
        value = str(getattr(self, role))
        return "" if value.lower() in _USUAL.get(role, ()) else value


def identity_of(model: str, stated: Mapping[str, str]) -> Identity:
    """Return the identity of a model with what is stated of the `ROLES`; "none" says nothing.

    A path into Hugging Face's cache is the model that is kept there.
    """
    if cached := _OF_CACHE.fullmatch(model):
        model = f"{cached[1]}/{cached[2]}"
        stated = {**stated, "revision": stated.get("revision") or cached[3]}
    return Identity(
        model,
        **{
            role: _SPELLINGS.get(role, {}).get(value.lower(), value)
            for role in ROLES
            if (value := stated.get(role, "").strip()).lower() not in _NOTHING
            and value.lower() not in _UNSAID
        },
    )


def of_arguments(model: str, arguments: Mapping[str, object], backend: str = "") -> Identity:
    """Return the identity of a model that was loaded with arguments, as harnesses state them."""

    def first(*names: str) -> str:
        return next((str(arguments[n]) for n in names if arguments.get(n) not in (None, "")), "")

    precision = first("quantization", "quantization_method", "gptq", "autogptq", "dtype")
    for name, word in (("load_in_4bit", "4-bit"), ("load_in_8bit", "8-bit")):
        if first(name).lower() == "true":
            precision = word
    stated = {
        "revision": first("revision", "model_revision"),
        "adapter": first("peft", "adapter", "adapter_name", "lora", "lora_local_path", "delta"),
        "precision": precision,
        "backend": backend,
        "prompt_variant": first("prompt_variant", "prompt_template"),
    }
    return identity_of(model, stated)

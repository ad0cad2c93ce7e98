"""Models are found by name, here or in another package, and their configurations are checked."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reimpl import models, xml_cnn
from reimpl.errors import ConfigError
from reimpl.models import find_config, find_model, known_models, known_variants, reduced_config
from reimpl.protocol import protocol


@pytest.mark.parametrize("name", ["xml_cn", "", "training", "../xml_cnn", "os"])
def test_what_is_no_model_is_answered_with_the_models(name: str) -> None:
    """Modules of this package that are no models are not known either, and nothing else is imported."""
    with pytest.raises(ConfigError, match=rf"^model {name!r} is not known; .*nown: aplc, .* and 4 more"):
        find_model(name)


def test_variants_read_from_the_file_are_those_that_the_import_finds() -> None:
    assert known_variants("xml_cnn") == tuple(xml_cnn.VARIANTS)


def offer(monkeypatch: pytest.MonkeyPatch, folder: Path, source: str, name: str = "theirs") -> None:
    """Installs, for this test, a package that offers `source` as a model."""
    (folder / "their_package.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "their_package", raising=False)
    point = EntryPoint(name, "their_package", models.GROUP)
    monkeypatch.setattr(models, "_points", lambda: [point])


THEIRS = """
from dataclasses import dataclass
@dataclass(frozen=True)
class Config:
    loss: str = "bce_mean"
    size: int = 3
VARIANTS = {"plain": Config()}
def build(config, **parts): ...
"""


def test_another_package_adds_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = known_models()
    offer(monkeypatch, tmp_path, THEIRS)
    assert known_models() == sorted([*own, "theirs"])
    assert known_variants("theirs") is None
    assert known_variants("nobodys") is None
    module = find_model("theirs")
    assert find_config(module, "plain", {"size": 5}) == module.Config(size=5)


@pytest.mark.parametrize("variant", xml_cnn.VARIANTS)
def test_a_configuration_survives_the_way_through_a_record(variant: str) -> None:
    import json
    from dataclasses import asdict

    base = xml_cnn.VARIANTS[variant]
    assert find_config(xml_cnn, None, json.loads(json.dumps(asdict(base)))) == base


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"map": 3}, "config key 'map' is not known to 'reimpl.xml_cnn'; did you mean 'maps'"),
    ({"maps": "sixteen"}, "config key 'maps': .*not 'sixteen'"),
    ({"maps": 1.5}, "config key 'maps': .*not 1.5"),
    ({"maps": 0}, "maps .*not 0"),
    ({"windows": []}, r"windows .*not \(\)"),
    ({"windows": ["2"]}, "config key 'windows.0': .*not '2'"),
    ({"sweep": "letters"}, "config key 'sweep': .*'words' or 'embeddings', not 'letters'"),
    ({"dropout_output": 1.0}, "dropout_output .*not 1.0"),
    ({"loss": "hinge"}, "loss 'hinge' is not known; known: bce_mean"),
    ({"maps": Path("x")}, "config key 'maps'"),  # whatever a caller may hold
]


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=str)
def test_a_change_that_cannot_be_is_refused_with_its_key_and_value(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        find_config(xml_cnn, "chen2022-kim-words", changes)
    assert "\n" not in str(caught.value)


def test_every_model_here_has_the_parts_that_training_asks_for() -> None:
    for name in known_models():
        module: ModuleType = find_model(name)
        assert module.VARIANTS
        for variant in module.VARIANTS:
            # What holds another model has that one's loss.
            held = {"base": "xml_cnn"} if hasattr(module, "resolve") else {}
            config = find_config(module, variant, held)
            assert isinstance(config, module.Config)
            assert isinstance(config.loss, str)


@pytest.mark.parametrize(
    ("model", "asked", "reduced"),
    [
        ("xml_cnn", {"maps": 8, "hidden": 512}, {"maps": 8, "hidden": 128}),
        ("attention_xml", {"hidden": 8, "fully_connected": (64, 8)}, {"fully_connected": (32,)}),
        ("bert_xml", {"hidden": 12, "heads": 2, "inner": 24, "bottleneck": 7}, {}),
        ("rank_ae", {"embedding": 5, "encoder": 100}, {"encoder": 64}),
    ],
)
def test_a_reduced_size_is_never_larger_than_what_is_asked_for(
    model: str, asked: dict[str, Any], reduced: dict[str, Any]
) -> None:
    module = find_model(model)
    config = find_config(module, None, asked)
    assert reduced_config(module, config, protocol("small").model) == replace(config, **reduced)


HOLDING = """
from dataclasses import replace
def resolve(config): return replace(config, size=config.size * 10)
def reduce(config, sizes): return replace(config, size=sizes["inner"])
"""


def test_a_model_that_holds_another_resolves_and_reduces_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer(monkeypatch, tmp_path, THEIRS + HOLDING)
    module = find_model("theirs")
    assert find_config(module, None, {"size": 5}).size == 50
    assert reduced_config(module, module.Config(), {"inner": 7}).size == 7


@pytest.mark.parametrize(
    ("file", "changed"),
    [
        ("xml_cnn.py", {"model"}),
        ("training.py", {"training"}),
        ("metrics.py", {"metrics"}),
        ("data/numbering.py", {"data"}),
        ("fidelity.py", set()),
    ],
)
def test_the_sources_of_a_run_are_the_files_that_decide_it(
    file: str, changed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever they lie, and with the line ends of any system."""
    copy, arrays = tmp_path / "lib" / "reimpl", shutil.ignore_patterns("*.npz", "__pycache__")
    before = models.sources_of(("xml_cnn",))
    shutil.copytree(Path(models.__file__).parent, copy, ignore=arrays)
    monkeypatch.setattr(models, "__file__", str(copy / "models.py"))
    edited = copy / file
    edited.write_bytes(edited.read_bytes().replace(b"\n", b"\r\n"))
    models.sources_of.cache_clear()
    assert models.sources_of(("xml_cnn",)) == before
    edited.write_text(f"{edited.read_text()}\nEDITED = 1\n")
    models.sources_of.cache_clear()
    after = models.sources_of(("xml_cnn",))
    models.sources_of.cache_clear()
    assert {part for part in before if before[part] != after[part]} == changed
    assert set(before) == {"model", "training", "data", "metrics"}

"""One table on its way into a claim file: the text, and all that the user has said of it so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from audit.authoring.cells import Reading
from audit.authoring.corrections import Correction, settings_of
from audit.authoring.edit import ClaimFile
from audit.authoring.entry import About, free_id, put
from audit.authoring.headings import Known
from audit.authoring.mapped import Mapped, Whole
from audit.authoring.proposing import mapped
from audit.authoring.reading import Options, table_of
from audit.errors import AuditError
from audit.names import known_names

#: Keys of `table:` that are one of a few words.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "unit": ("percent", "fraction"),
    "source": ("own_run", "copied", "code_readme", "stated", "unknown"),
    "spread": ("sd", "se", "ci95"),
    "decimal": ("point", "comma"),
    "beside": ("sd", "mark"),
}
#: Those that are whole numbers from 1; `names` may be 0.
_NUMBERS = ("page", "runs", "heads", "names")


@dataclass(frozen=True)
class Session:
    """Everything that decides what is written; `with_` gives one more correction."""

    source: str
    text: str
    file: ClaimFile
    catalogue: Mapping[str, str]
    """Keys of the catalogue of corpora, with their names."""
    options: Options = field(default_factory=Options)
    new_datasets: Mapping[str, str] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()

    def with_(self, correction: Correction) -> Session:
        """Raises `AuditError` for what cannot be meant, so that it is said at once."""
        new = replace(self, corrections=(*self.corrections, correction))
        _ = new.about, new._options
        return new

    def mapped(self) -> Mapped:
        """The table with what its parts are. Raises `AuditError` where it cannot be read."""
        table = table_of(self.source, self.text, self._options)
        return mapped(table, Known(self.file.paper, self.catalogue), self._whole, self.corrections)

    def put(self) -> None:
        """Add the entry to `file`; nothing is written yet. Raises `AuditError` with all that is open."""
        put(self.file, self.mapped(), self.about)

    @property
    def about(self) -> About:
        said = self._said
        return About(
            id=said.get("id") or free_id(self.file.paper.tables),
            page=_number(said, "page"),
            section=said.get("section"),
            label=said.get("label"),
            caption=said.get("caption"),
            runs=_number(said, "runs"),
            spread=said.get("spread"),
        )

    @property
    def _said(self) -> Mapping[str, str]:
        said = settings_of(self.corrections, "table").get((), {})
        for key, choices in CHOICES.items():
            if key in said and said[key] not in choices:
                raise AuditError(f"{said[key]!r} is no {key}; {known_names(said[key], choices)}")
        return said

    @property
    def _options(self) -> Options:
        said = self._said
        reading = Reading(said.get("decimal"), said.get("beside"))  # type: ignore[arg-type]
        cells = settings_of(self.corrections, "cell").items()
        return replace(
            self.options,
            reading=reading,
            heads=_number(said, "heads"),
            names=_number(said, "names", least=0),
            settled=frozenset(place for place, it in cells if {"value", "dash"} & set(it)),
        )

    @property
    def _whole(self) -> Whole:
        said = self._said
        source = said.get("source", "copied" if "from" in said else "unknown")
        return Whole(
            said.get("dataset"),
            said.get("metric"),
            said.get("unit"),
            source,
            said.get("from"),
            self.new_datasets,
        )


def _number(said: Mapping[str, str], key: str, *, least: int = 1) -> int | None:
    if key not in said:
        return None
    text = said[key]
    if not (text.isascii() and text.isdecimal() and len(text) < 7 and int(text) >= least):
        raise AuditError(f"{key} {text!r} is no whole number from {least}; give one")
    return int(text)

"""The data sets that a table names, by their ids in the claim file; those that it lacks get an entry."""

from __future__ import annotations

from collections.abc import Mapping

from audit.authoring.headings import Known
from audit.errors import AuditError
from audit.names import known_names


class ChosenDatasets:
    """Ids for names; `added` holds the entries that are to be added under `datasets`."""

    def __init__(self, known: Known, named: Mapping[str, str]) -> None:
        self.known = known
        self.named = named
        """Ids that the user adds, with their names as printed."""
        self.added: dict[str, dict[str, str | None]] = {}

    def id_of(self, name: str) -> str:
        """Id of the data set that is meant. Raises `AuditError` for none, offering the known ones."""
        own = self.known.paper.datasets
        if name in own:
            return name
        if name in self.named:
            self.added[name] = {"name": self.named[name]}
            return name
        if name in self.known.catalogue:
            return self._of_catalogue(name)
        meant = self.known.dataset(name)
        if meant is not None and meant != name:
            return self.id_of(meant)
        offered = known_names(name, [*own, *self.known.catalogue])
        key = self.known.paper.paper.key
        raise AuditError(
            f"{name!r} is no data set of {key}; {offered}; or add it with --new-dataset {name}=NAME"
        )

    def _of_catalogue(self, key: str) -> str:
        id = key.replace("-", "_")
        if id not in self.known.paper.datasets:
            self.added[id] = {"name": self.known.catalogue[key], "catalogue": key, "content": None}
        return id

"""Locks on files of a store, and leases where the file system has no lock that holds between processes.

STORE/locks/leases    its presence makes every process use leases, on every machine; whoever knows that locks
                      hold on one machine only may make it

A lease is a file that its holder touches while it lives. Who waits takes a lease that nobody touched for
`LEASE` seconds, by the clock of the one who waits: so a holder that stood still for as long loses it, and two
may work on one run. Then nothing is lost: the later of two writes yields (`Store.put`)."""

from __future__ import annotations

import errno
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from filelock import BaseFileLock, FileLock, SoftFileLease, Timeout

from audit.storage.files import explained, write

#: Seconds after which a lease that its holder no longer renews is free. All processes must have the same.
LEASE = 60.0

_NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP}
#: Types and options of mounts whose locks hold between processes of one machine, and not between machines.
_ONE_MACHINE = {"beegfs", "fuse.sshfs", "localflock", "local_lock=all", "local_lock=flock", "nobrl", "nolock"}
_MOUNTS = Path("/proc/mounts")  # Linux only
_TRY = """
import filelock, sys
try:
    filelock.FileLock(sys.argv[1], fallback_to_soft=False).acquire(timeout=0)
    print("taken")
except OSError:
    pass
"""


@dataclass(frozen=True)
class Locks:
    """The locks of one store, in one process."""

    store: Path
    # Kept, since a lease of another machine is seen to stand still by the object that looked before.
    _made: dict[Path, BaseFileLock] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def leases(self) -> bool:
        """Whether this store uses leases, which another machine may have found necessary since."""
        return self._marker.exists()

    @contextmanager
    def hold(self, path: Path, wait: float | None = None) -> Iterator[bool]:
        """Hold the lock of `path` while the block runs; yields whether it did within `wait` s. Raises
        `StoreError`."""
        with explained(self.store):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = self._acquire(path, -1 if wait is None else wait)
        try:
            yield lock is not None
        finally:
            if lock is not None:
                lock.release()

    def check(self) -> str | None:
        """A sentence if a second process or another machine would not see our locks; the store then uses
        leases. Takes 0.1 s: whoever is about to claim runs calls it once. Raises `StoreError`."""
        with explained(self.store):
            if not self.leases and not self._locks_hold():
                self._use_leases()
        if not self.leases:
            return None
        return (
            f"{self.store}: locks of this file system do not hold between processes or machines, so runs are "
            f"claimed by leases, and the run of a process that died is free again after {LEASE:.0f} s"
        )

    @property
    def _marker(self) -> Path:
        return self.store / "locks" / "leases"

    def _use_leases(self) -> None:
        self._marker.parent.mkdir(parents=True, exist_ok=True)
        write(self._marker, b"")

    def _acquire(self, path: Path, wait: float) -> BaseFileLock | None:
        lease = self.leases
        path = path.with_suffix(".lease" if lease else ".lock")
        # A soft lock, the library's way out, is never free again when its holder dies on another machine.
        new = SoftFileLease(path, lease_duration=LEASE) if lease else FileLock(path, fallback_to_soft=False)
        lock = self._made.setdefault(path, new)
        if isinstance(lock, SoftFileLease) and lock.is_locked and lock.compromise:
            return None  # lost to another process while this thread held it
        try:
            lock.acquire(timeout=wait, poll_interval=0.1)
        except Timeout:  # an OSError too
            return None
        except OSError as err:
            if lease or err.errno not in _NO_LOCKS:
                raise
            self._use_leases()
            return self._acquire(path, wait)
        return lock

    def _locks_hold(self) -> bool:
        if _ONE_MACHINE & _mount_of(self.store.resolve()):
            return False
        path = self._marker.with_name("check.lock")
        try:
            with FileLock(path, fallback_to_soft=False, timeout=0):
                command = [sys.executable, "-c", _TRY, str(path)]
                second = subprocess.run(command, capture_output=True, text=True)
        except Timeout:  # another process checks just now, and its lock holds
            return True
        except OSError as err:
            if err.errno in _NO_LOCKS:
                return False
            raise
        return second.stdout.strip() != "taken"


def _mount_of(path: Path) -> set[str]:
    """Type and options of the path's file system; empty if the system does not say."""
    depth, found = 0, set[str]()
    with suppress(OSError, ValueError):
        for line in _MOUNTS.read_text().splitlines():
            _, point, kind, options, *_ = line.split()
            place = Path(point.replace(r"\040", " "))
            # Of two mounts on one place the later one is seen.
            if path.is_relative_to(place) and len(place.parts) >= depth:
                depth, found = len(place.parts), {kind, *options.split(",")}
    return found

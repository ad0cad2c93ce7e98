"""Where a file system has no locks, runs are claimed by leases, and two that held one run lose nothing."""

from __future__ import annotations

import errno
import os
import pickle
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from audit.storage import locks
from audit.storage.manifest import KeptPlan, Ledger
from audit.storage.runs import SettledError, Store
from tests.storage.test_store import bare, finish, make, posix, start

fcntl = pytest.importorskip("fcntl")
ASK = "with store.claim(make().key, wait=0) as claim: print(claim.held)"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


def without_locks(monkeypatch: pytest.MonkeyPatch, number: int | None) -> None:
    """Let the system refuse every lock with that error, or grant each to whoever asks."""

    def flock(*_: Any) -> None:
        if number is not None:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)


def assert_there_are_leases(store: Store) -> None:
    """This process claims a run; one whose system has locks, and one that was handed the store, see it."""
    with store.claim(make().key, wait=0) as claim:
        assert claim.held and list(store.root.rglob("*.lease"))
        assert finish(start(ASK, store.root)) == "False\n"
        with pickle.loads(pickle.dumps(store)).claim(make().key, wait=0) as second:
            assert not second.held
    assert finish(start(ASK, store.root)) == "True\n"


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP, None])
def test_where_locks_do_not_work_all_processes_use_leases_and_it_is_said(
    store: Store, number: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        without_locks(patch, number)
        said = store.locks.check()
        assert said and said.startswith(f"{store.root}: ") and "leases" in said and "\n" not in said
    assert_there_are_leases(store)
    assert Store(store.root).locks.check() == said
    Ledger(store.root, "toy").note_settled([store.put(make()).spec])
    assert not list((store.root / "manifests").glob("*.lock"))


def test_a_claim_that_the_system_refuses_turns_to_leases_by_itself(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        without_locks(patch, errno.ENOSYS)
        # What a command does first, before there is a store.
        Ledger(store.root, "toy").keep(KeptPlan("toy", "toy", (), {}, {}, (), "audit run"))
        with store.claim(make().key) as claim:
            assert claim.held
    assert_there_are_leases(store)


def test_a_mount_whose_locks_hold_on_one_machine_only_has_leases(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    monkeypatch.setattr(locks, "_MOUNTS", mounts)
    root, here = "/dev/vda / ext4 rw 0 0\n", str(tmp_path).replace(" ", r"\040")
    mounts.write_text(f"{root}server:/x {here}/other nfs rw,nolock,local_lock=all 0 0\n")
    assert store.locks.check() is None and not list(store.root.rglob("leases"))
    mounts.write_text(f"{root}server:/x {here} nfs rw,nolock,local_lock=all 0 0\n")
    assert "leases" in str(store.locks.check())


HOLD = """
import socket
from audit.storage import locks
locks.LEASE, where, run = 2.0, sys.argv[2], make()
if where == "elsewhere":
    socket.gethostname = lambda: where
def still_held():
    with store.claim(run.key, wait=0) as again:
        return again.held
with store.claim(run.key) as claim:
    print(claim.held, flush=True)
    sys.stdin.readline()
    while where == "here" and still_held():
        time.sleep(0.1)
    print(bare(store.put(run)) == run)
"""


@pytest.fixture
def leased(store: Store, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(locks, "LEASE", 2.0)
    (store.root / "locks").mkdir(parents=True)
    (store.root / "locks" / "leases").touch()
    return store


def holder(store: Store, where: str) -> subprocess.Popen[str]:
    process = start(HOLD, store.root, where)
    assert process.stdout is not None and process.stdout.readline() == "True\n"
    return process


@posix
def test_a_lease_outlives_its_time_and_not_its_holder_on_another_machine(leased: Store) -> None:
    process = holder(leased, "elsewhere")
    with leased.claim(make().key, wait=3) as claim:
        assert not claim.held
    process.kill()
    process.communicate()
    with leased.claim(make().key, wait=0) as claim:
        assert not claim.held  # nobody here can tell yet
    with leased.claim(make().key, wait=60) as claim:
        assert claim.held


@posix
def test_of_two_that_held_one_run_the_later_yields_and_nothing_is_lost(leased: Store) -> None:
    """A process stands still until its lease goes to another one; it goes on, and is first all the same."""
    process = holder(leased, "here")
    process.send_signal(signal.SIGSTOP)
    with leased.claim(make().key, wait=60) as claim:
        assert claim.held and claim.record is None
        process.send_signal(signal.SIGCONT)
        assert finish(process, "go\n") == "True\n"
        with pytest.raises(SettledError) as caught:
            leased.put(make(metrics={"P@1": 60.0}))
        assert bare(caught.value.record) == bare(leased.get(make().key)) == make()
        # What the other one gave up was no longer its own.
        with Store(leased.root).claim(make().key, wait=0) as third:
            assert not third.held

"""Run records are whole or absent, done once, and readable or explained."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.errors import StoreError
from audit.record import DataInfo, Run, RunSpec, to_json
from audit.storage.runs import SettledError, Store

posix = pytest.mark.skipif(os.name == "nt", reason="needs fork and signals")
PREDICTIONS = {"ids": np.array([[3, 1], [2, 0]], "i4"), "scores": np.array([[0.9, 0.2], [0.5, 0.5]], "f4")}


def make(seed: int = 0, **changes: Any) -> Run:
    spec = RunSpec("xml_cnn", "code", {"sweep": "words"}, {"epochs": 2}, "0f" * 16, seed)
    data = DataInfo("toy", "0f" * 16, "study2022", 4, 2, 4)
    run = Run(spec.key, spec, "done", data, metrics={"P@1": 50.0}, finished="2024-01-01T00:00:00Z")
    return replace(run, **changes)


def failed(seed: int = 0) -> Run:
    return make(seed, status="failed", metrics={}, reason="loss is NaN in epoch 3")


def interrupted(seed: int = 0) -> Run:
    return make(seed, status="interrupted", metrics={})


OF_STATUS = {"done": make, "failed": failed, "interrupted": interrupted}


def bare(run: Run | None) -> Run:
    """The run as it was before the store named its predictions and sealed it."""
    assert run is not None and run.seal
    return replace(run, seal="", predictions=None, predictions_sha256=None)


def resealed(content: dict[str, Any]) -> str:
    """A record with the seal of its content, worked out from the definition: so each damage is met alone."""
    rest = {name: value for name, value in content.items() if name != "seal"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return json.dumps({**rest, "seal": hashlib.sha256(text.encode()).hexdigest()[:32]})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


def names(store: Store) -> set[str]:
    """Names of all files of the store but the locks."""
    return {path.name for path in store.root.rglob("*") if path.is_file() and path.suffix != ".lock"}


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """A process of its own that runs `script` with this module's `make` and an open `store`."""
    head = (
        "import os, random, signal, sys, time\nfrom pathlib import Path\nimport numpy as np\n"
        "from audit.storage.runs import Store\nfrom tests.storage.test_store import bare, make, PREDICTIONS\n"
        "store = Store(Path(sys.argv[1]))\n"
    )
    command = [sys.executable, "-c", head + textwrap.dedent(script), *map(str, arguments)]
    folder = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}
    return subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, text=True, env=environment)


def finish(process: subprocess.Popen[str], answer: str = "") -> str:
    """Send `answer`, wait for the end, and give back what the process printed."""
    out, err = process.communicate(answer, timeout=120)
    assert process.returncode == 0, err
    return out


def test_a_stored_run_comes_back_equal(store: Store) -> None:
    run = store.put(make(), predictions=PREDICTIONS)
    assert bare(run) == make() and run.predictions == f"{run.key}.npz"
    assert store.get(run.key) == run
    assert list(store.runs()) == [run]


def test_a_done_run_is_never_replaced(store: Store) -> None:
    """Two made it, and the later one is handed the record of the faster one."""
    first = store.put(make(), predictions=PREDICTIONS)
    before = {name: (store.root / name).read_bytes() for name in names(store)}
    message = r"\.json: a done run is not replaced; choose"
    for other in (make(metrics={"P@1": 60.0}), failed(), interrupted()):
        for how in ({}, {"retry": True}, {"anew": True}):
            with pytest.raises(SettledError, match=message) as caught:
                store.put(other, **how)
            assert caught.value.record == first
    assert {name: (store.root / name).read_bytes() for name in names(store)} == before


def test_a_failed_run_is_replaced_on_request_only(store: Store) -> None:
    store.put(failed())
    with pytest.raises(StoreError, match=r"\.json: a failed run is not replaced"):
        store.put(make())
    assert bare(store.get(make().key)) == failed()
    assert bare(store.put(make(), retry=True)) == bare(store.get(make().key)) == make()


def test_a_run_is_made_anew_by_other_code_and_once(store: Store) -> None:
    store.put(make(sources={"model": "old"}))
    now = store.put(make(sources={"model": "new"}), anew=True)
    with pytest.raises(SettledError) as caught:
        store.put(make(sources={"model": "new"}, metrics={"P@1": 60.0}), anew=True)
    assert caught.value.record == store.get(now.key) == now


def test_a_record_from_before_hosts_were_kept_is_read(store: Store) -> None:
    content = json.loads(to_json(store.put(make(host="node7"))))
    assert content.pop("host") == "node7"
    (store.root / f"{make().key}.json").write_text(resealed(content))
    assert bare(store.get(make().key)) == make()


@pytest.mark.parametrize(("status", "kept"), [("done", False), ("failed", False), ("interrupted", True)])
def test_a_checkpoint_lives_until_its_run_is_settled(store: Store, status: str, kept: bool) -> None:
    state = store.checkpoint_path(make().key) / "state.pt"
    state.write_bytes(b"weights")
    store.put(OF_STATUS[status]())
    assert state.exists() == kept


@pytest.mark.parametrize("key", ["", "../escape", "A" * 32, "0" * 31, "0" * 32 + "\n", "0" * 33])
def test_what_is_no_key_never_becomes_a_path(store: Store, key: str) -> None:
    for use in (store.get, store.predictions, store.checkpoint_path):
        with pytest.raises(StoreError, match="is not a run's key"):
            use(key)
    with pytest.raises(StoreError, match="is not a run's key"), store.claim(key):
        pass
    assert not store.root.exists()


def damaged(**changes: Any) -> str:
    """A stored record with some of its keys changed, as JSON; the seal fits."""
    return resealed({**json.loads(to_json(make())), **changes})


DAMAGES = {
    "empty": ("", r"not a complete run record \(it ends too early\)"),
    "cut": (to_json(make())[:100], r"not a complete run record \(it ends too early\)"),
    "wrong type": (damaged(seconds="soon"), r"\(seconds: 'soon' is not a number\)"),
    "missing key": (damaged(spec={}), r"\(spec\.model: this key is missing\)"),
    "unknown status": (damaged(status="great"), "status.*'done', 'failed' or 'interrupted'"),
    "nan": (to_json(make()).replace("50.0", "NaN"), r"\(NaN is not a number\)"),
    "infinity": (to_json(make()).replace("50.0", "-1e999"), r"\(-1e999 is not a number\)"),
    "failed without a reason": (damaged(status="failed", metrics={}), "a run that failed needs a reason"),
    "failed with metrics": (damaged(status="failed", reason="r"), "failed has no metrics, here P@1"),
    "done with a reason": (damaged(reason="slow"), "no reason to have failed, here 'slow'"),
    "done without metrics": (damaged(metrics={}), "a run that is done needs metrics"),
    "edited metric": (damaged().replace("50.0", "60.0"), "it was changed after this tool wrote it"),
    "added key": (damaged().replace("{", '{"metric": 1, ', 1), "it was changed after this tool wrote it"),
    "no seal": (to_json(make()), "it was changed after this tool wrote it"),
    "changed spec": (damaged(spec=json.loads(to_json(make(1)))["spec"]), "its spec hashes to"),
    "another run": (resealed(json.loads(to_json(make(1)))), f"holds the key {make(1).key!r}"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_record_is_named_with_the_remedy_and_hides_no_other(store: Store, name: str) -> None:
    content, message = DAMAGES[name]
    others = sorted((store.put(make(seed)) for seed in (1, 2, 3)), key=lambda run: run.key)
    path = store.root / f"{make().key}.json"
    path.write_text(content)

    with pytest.raises(StoreError, match=message) as caught:
        store.get(make().key)
    text = str(caught.value)
    remedy = "; restore it, or move it away and run that seed again"
    assert text.startswith(f"{path}: ") and text.endswith(remedy)
    assert "\n" not in text and len(text) < 500 and "pydantic" not in text

    problems: list[StoreError] = []
    assert list(store.runs(problems=problems)) == others
    assert [str(problem) for problem in problems] == [text]

    path.unlink()
    store.put(make())
    assert len(list(store.runs())) == 4


def test_a_record_cut_anywhere_is_refused(store: Store) -> None:
    path = store.root / f"{store.put(make()).key}.json"
    content = path.read_bytes()
    for length in range(len(content.rstrip())):
        path.write_bytes(content[:length])
        with pytest.raises(StoreError, match="not a complete run record"):
            store.get(make().key)


def test_a_change_of_any_key_breaks_the_seal(store: Store) -> None:
    path = store.root / f"{store.put(make(curve=({'loss': 0.5},)), predictions=PREDICTIONS).key}.json"
    content = json.loads(path.read_text())
    for key in sorted(set(content) - {"format_version"}):  # another format is refused as such
        for changed in ({**content, key: _other(content[key])}, {k: content[k] for k in content if k != key}):
            path.write_text(json.dumps(changed))
            with pytest.raises(StoreError, match="restore it, or move it away and run that seed again"):
                store.get(make().key)


def _other(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, dict):
        return {**value, "more": 1.0}
    if isinstance(value, list):
        return [*value, *value] if value else ["more"]
    if isinstance(value, int | float):
        return value + 1
    return f"{value or ''}0"


def test_predictions_cut_anywhere_are_refused(store: Store) -> None:
    key = store.put(make(), predictions=PREDICTIONS).key
    path = store.root / f"{key}.npz"
    content = path.read_bytes()
    message = rf"{key}\.json: its predictions '{key}\.npz' are not the ones written with it; restore"
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(StoreError, match=message):
            store.predictions(key)


@pytest.mark.parametrize("damage", [b"PK, but no archive", None])
def test_predictions_are_numbers_and_never_code(store: Store, damage: bytes | None) -> None:
    """Though sealed: an archive from elsewhere whose array is a pickle is refused before any of it runs."""
    buffer = io.BytesIO()
    np.savez(buffer, ids=np.array([print], dtype=object))
    content = damage or buffer.getvalue()
    run = store.put(make(), predictions=PREDICTIONS)
    (store.root / f"{run.key}.npz").write_bytes(content)
    record = store.root / f"{run.key}.json"
    changes = {"predictions_sha256": hashlib.sha256(content).hexdigest()}
    record.write_text(resealed({**json.loads(record.read_text()), **changes}))
    with pytest.raises(StoreError, match=r"its predictions .* are not arrays of numbers; restore"):
        store.predictions(run.key)


@contextmanager
def refusal(monkeypatch: pytest.MonkeyPatch, call: str, number: int, after: int) -> Iterator[None]:
    """Let the `after`-th call of `os.fsync` or `Path.replace` end with the error."""
    owner = os if call == "fsync" else Path
    real, calls = getattr(owner, call), iter(range(100))

    def refuse(*arguments: Any) -> Any:
        if next(calls) == after:
            raise OSError(number, os.strerror(number))
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(owner, call, refuse)
        yield


@pytest.mark.parametrize("call", ["fsync", "replace"])
@pytest.mark.parametrize("after", [0, 1], ids=["predictions", "record"])
def test_a_full_disk_is_one_sentence_and_leaves_the_old_record(
    store: Store, monkeypatch: pytest.MonkeyPatch, call: str, after: int
) -> None:
    store.put(failed())
    # the folder of the first file is synced too
    step = after * 2 if call == "fsync" else after
    message = r"\.json: No space left on device; free some space there or choose another folder$"
    with refusal(monkeypatch, call, errno.ENOSPC, step), pytest.raises(StoreError, match=message):
        store.put(make(), predictions=PREDICTIONS, retry=True)
    assert [bare(run) for run in store.runs()] == [failed()]
    assert not [name for name in names(store) if name.endswith(".tmp")]
    store.put(make(), predictions=PREDICTIONS, retry=True)
    assert names(store) == {f"{make().key}.json", f"{make().key}.npz"}


RACE = """
order, wait = sys.argv[2], {"try": 0, "wait": None}[sys.argv[3]]
print("ready", flush=True)
sys.stdin.readline()
for seed in range(20)[:: 1 if order == "up" else -1]:
    run = make(seed)
    with store.claim(run.key, wait=wait) as claim:
        if claim.held and claim.record is None:
            print(seed)
            time.sleep(0.002)
            store.put(run, predictions=PREDICTIONS)
"""


@pytest.mark.parametrize("wait", ["try", "wait"])
@pytest.mark.parametrize("orders", [("up", "up"), ("up", "down")], ids="-".join)
def test_two_processes_share_twenty_runs_and_each_is_run_once(
    store: Store, wait: str, orders: tuple[str, str]
) -> None:
    processes = [start(RACE, store.root, order, wait) for order in orders]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    done = [int(seed) for process in processes for seed in finish(process).split()]
    assert sorted(done) == list(range(20))
    assert len(list(store.runs())) == 20


@posix
def test_a_killed_holder_leaves_nothing_stuck(store: Store) -> None:
    script = """
    with store.claim(make().key):
        print("held", flush=True)
        time.sleep(60)
    """
    holder = start(script, store.root)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    with store.claim(make().key, wait=0) as claim:
        assert not claim.held
    holder.kill()
    holder.communicate()
    with store.claim(make().key, wait=0) as claim:
        assert claim.held and claim.record is None


KILLS = """
rng, halves, sync = random.Random(0), 0, os.fsync
os.fsync = lambda handle: (time.sleep(0.003), sync(handle))  # a slow disk, whatever the test runs on
arrays = {"ids": np.random.default_rng(0).integers(0, 9, 40_000).reshape(-1, 5)}
store.put(make(999_999), predictions=arrays)  # what is loaded for that is loaded before the clock runs
for cycle in range(600):
    if cycle >= 60 and halves:  # on a busy machine a writer may not have begun when it is killed
        break
    child = os.fork()
    if not child:
        for seed in range(cycle * 1000, cycle * 1000 + 1000):
            store.put(make(seed, notes=("x" * 1_000_000,)), predictions=arrays)
        os._exit(0)
    time.sleep(rng.uniform(0.001, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    halves += sum(path.suffix == ".tmp" for path in store.root.iterdir())
    for run in store.runs():  # raises for any record that is not whole
        found = store.predictions(run.key)
        assert (found["ids"] == arrays["ids"]).all(), run.key
        (store.root / f"{run.key}.json").unlink()
        (store.root / f"{run.key}.npz").unlink()
    for path in store.root.iterdir():
        path.is_file() and path.unlink()
print(halves)
"""


@posix
def test_a_writer_killed_at_any_moment_leaves_no_half_record(tmp_path: Path) -> None:
    """Writers are killed at random moments: every record that is seen is whole, with its arrays."""
    (tmp_path / "runs").mkdir()
    halves = int(finish(start(KILLS, tmp_path / "runs")))
    assert halves > 0, "no writer was killed while it wrote, so this test has shown nothing"

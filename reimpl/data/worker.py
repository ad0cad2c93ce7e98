"""A process that numbers chunks: asked over its standard input, answering over its standard output.

It is started as a program of its own rather than by `multiprocessing`, which would import the caller's main
module once more: a script without the usual guard, or a notebook, can prepare a corpus too. It ends when its
input does, so it never outlives its parent.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
from typing import Any, BinaryIO

from reimpl.data.numbering import Numbering


def send(stream: BinaryIO, message: object) -> None:
    """One message."""
    pickle.dump(message, stream, protocol=5)
    stream.flush()


def receive(stream: BinaryIO) -> object:
    """The next message; raises `EOFError` when there will be none."""
    return pickle.load(stream)


def main() -> None:
    """First the tokeniser, then (chunk, task) after (chunk, task); answers a result or what was raised."""
    # what anything prints must not come between the messages
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    questions = sys.stdin.buffer
    gc.disable()  # nothing here is cyclic, and looking for it takes as long as the work
    try:
        numbering = Numbering(receive(questions))  # type: ignore[arg-type]
        while True:
            question: Any = receive(questions)
            try:
                answer: object = numbering.number(*question)
            except Exception as err:
                answer = err
            send(answers, answer)
    except (EOFError, BrokenPipeError):
        os._exit(0)

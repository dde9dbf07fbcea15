"""Lets the command run with ever more descriptors, and lets each of its openings fail once."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

from stage import Trouble

# With fewer the Swift runtime itself ends the process.
FEWEST = 5
WRONG = ("a log that can only be read", "was deleted, moved or replaced", "this user may", "read-only media", "is damaged", "not a store")
COMMANDS = (("ls",), ("show", "last"), ("stats",), ("verify",), ("append", "last", "--kind", "prompt"), ("new",))


def run(stage):
    store = stage.place / "Soak.keepsake"
    acknowledgements = stage.fill(store)
    limits = failures = 0
    for words in COMMANDS:
        for limit in range(FEWEST, 64):
            done = attempt(stage, words, store, preexec_fn=lambda limit=limit: resource.setrlimit(
                resource.RLIMIT_NOFILE, (limit, limit)))
            limits += 1
            if done.returncode == 0:
                break
            judge(done, f"with {limit} descriptors 'keepsake {words[0]}'")
        else:
            raise Trouble(f"'keepsake {words[0]}' wants more than 64 descriptors")
    if sys.platform == "linux":
        failures = fail_openings(stage, store)
    stage.verify(store)
    return f"{limits} runs with too few descriptors, {failures} with an opening that failed: told as that, nothing lost"


def fail_openings(stage, store):
    """One after the other each call of open(2) fails, once."""
    library = stage.place / "failing.so"
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        raise Trouble("there is no C compiler for what makes openings fail. Install clang or gcc.")
    subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", "-o", library, Path(__file__).with_name("failing.c")], check=True)
    runs = 0
    for words in COMMANDS:
        for error in ("EMFILE", "EIO"):
            for number in range(1, 400):
                mark = stage.place / "failed"
                mark.unlink(missing_ok=True)
                environment = dict(
                    os.environ, LD_PRELOAD=str(library), KEEPSAKE_FAIL_OPEN=str(number), KEEPSAKE_FAIL_ERROR=error,
                    KEEPSAKE_FAIL_MARK=str(mark), KEEPSAKE_FAIL_BELOW=str(store))
                done = attempt(stage, words, store, env=environment)
                if not mark.exists():
                    break
                runs += 1
                if done.returncode != 0:
                    judge(done, f"where opening {mark.read_text()} failed with {error}, 'keepsake {words[0]}'")
                if stage.is_short and number > 2 and stage.chance.random() < 0.7:
                    break
    return runs


def attempt(stage, words, store, **more):
    return stage.keepsake(*words, store=store, ok=False, text="a prompt" if words[0] == "append" else None, **more)


def judge(done, what):
    said = done.stdout + done.stderr
    if done.returncode < 0:
        raise Trouble(f"{what} died of signal {-done.returncode}: {said.strip()[-600:]}")
    for words in WRONG:
        if words in said:
            raise Trouble(f"{what} is told something wrong: {said.strip()}")

"""Cuts the power, in simulation: records what a run does to its files, and checks states that a cut could leave
(G2 of the list of attacks)."""

import os
import random
import shutil
import signal
import struct
import subprocess
import threading
from pathlib import Path

from checking import CHILD, Checkers, Trouble

BREAKS = ("nosync", "nofolders")
STATES_A_RUN = 25
SECTOR = 512
ATTEMPTS = 10
HEADER = struct.Struct("<IIQQQ")
ROOT = 1


class NothingLost(Trouble):
    """Syncs were dropped, and each state was sound."""


class File:
    """What is on the disk for certain, and what was written since the last sync."""

    def __init__(self):
        self.durable = bytearray()
        self.pending = []  # (when, offset, bytes) or (when, size, None)

    def settle(self, before):
        """A sync that began at a moment has ended: what was written before it is on the disk."""
        rest = []
        for change in self.pending:
            if change[0] < before:
                apply(self.durable, change)
            else:
                rest.append(change)
        self.pending = rest

    def whole(self):
        content = bytearray(self.durable)
        for change in self.pending:
            apply(content, change)
        return content

    def after_cut(self, chance):
        """Of what was not synced each sector is there or not, and some of those that were being written are rubbish."""
        share = chance.choice((0, 0.1, 0.5, 0.9, 1))
        if share == 1:
            return self.whole()
        content = bytearray(self.durable)
        for change in self.pending if share else ():
            _, offset, data = change
            if data is None:
                if chance.random() < share:
                    apply(content, change)
                continue
            at = 0
            while at < len(data):
                length = min(SECTOR - (offset + at) % SECTOR, len(data) - at)
                luck = chance.random()
                if luck < share:
                    apply(content, (0, offset + at, data[at:at + length]))
                elif luck > 1 - (1 - share) / 16:
                    apply(content, (0, offset + at, chance.randbytes(length)))
                at += length
        return content


def apply(content, change):
    _, offset, data = change
    if data is None:
        if offset < len(content):
            del content[offset:]
        else:
            content.extend(bytes(offset - len(content)))
    else:
        if offset > len(content):
            content.extend(bytes(offset - len(content)))
        content[offset:offset + len(data)] = data


class Folder:
    """The names that are on the disk for certain, and what happened to names since the folder's last sync."""

    def __init__(self):
        self.durable = {}
        self.pending = []  # (when, name, number or None)

    def settle(self, before):
        rest = []
        for when, name, number in self.pending:
            if when < before:
                self.put(self.durable, name, number)
            else:
                rest.append((when, name, number))
        self.pending = rest

    @staticmethod
    def put(names, name, number):
        if number is None:
            names.pop(name, None)
        else:
            names[name] = number

    def whole(self):
        names = dict(self.durable)
        for _, name, number in self.pending:
            self.put(names, name, number)
        return names

    def after_cut(self, chance):
        """Each name on its own stands for what it stood for at some moment since the sync."""
        names = dict(self.durable)
        histories = {}
        for _, name, number in self.pending:
            histories.setdefault(name, []).append(number)
        for name, history in histories.items():
            kept = chance.choice((0, len(history), chance.randint(0, len(history))))
            if kept:
                self.put(names, name, history[kept - 1])
        return names


class Disk:
    """The files below the root as a log builds them up."""

    def __init__(self, broken=None):
        self.nodes = {ROOT: Folder()}
        self.syncs = {}
        self.broken = broken

    def replay(self, when, op, a, b, c, data):
        if op == "c" or op == "d":
            self.nodes[b] = File() if op == "c" else Folder()
            self.nodes[a].pending.append((when, data, b))
        elif op == "u":
            self.nodes[a].pending.append((when, data, None))
        elif op == "r":
            old, new = data.split(b"\0")
            self.nodes[b].pending.append((when, new, c))
            self.nodes[a].pending.append((when, old, None))
        elif op == "w":
            self.nodes[a].pending.append((when, b, data))
        elif op == "t":
            self.nodes[a].pending.append((when, b, None))
        elif op == "s":
            self.syncs[b] = when
        elif op == "e":
            began = self.syncs.pop(b)
            node = self.nodes[a]
            if self.broken == "nosync" or self.broken == "nofolders" and isinstance(node, Folder):
                return
            node.settle(began)
        elif op == "!":
            raise Trouble(f"the program did what the simulation has no rule for: {data.decode()}")

    def write(self, place, chance=None):
        """Makes the files; without chance as the program saw them, else as a cut leaves them."""
        self.write_folder(self.nodes[ROOT], place, chance)

    def write_folder(self, folder, place, chance):
        place.mkdir()
        names = folder.after_cut(chance) if chance else folder.whole()
        for name, number in names.items():
            if name.endswith(b"-shm"):
                continue  # no part of what lasts: SQLite makes it anew
            node = self.nodes[number]
            goal = place / os.fsdecode(name)
            if isinstance(node, Folder):
                self.write_folder(node, goal, chance)
            else:
                goal.write_bytes(node.after_cut(chance) if chance else node.whole())


def read_log(path):
    with path.open("rb") as file:
        log = memoryview(file.read())
    at = 0
    while at < len(log):
        op, length, a, b, c = HEADER.unpack_from(log, at)
        at += HEADER.size
        # Names are compared and kept; what was written is only copied, so it stays where it is.
        data = log[at:at + length]
        yield chr(op), a, b, c, data if chr(op) == "w" else bytes(data)
        at += length


def record(place, seed, library, dies, budget):
    """Records a process that writes; or one that dies at a certain moment, and the next one that does the same again.

    What a process that died had not synced is still to be lost when the power is cut, however long it has been there.
    """
    root, log = place / "root", place / "log"
    root.mkdir(parents=True)
    resumed = 0
    for death in (dies, "") if dies else ("",):
        environment = dict(
            os.environ, LD_PRELOAD=str(library), KEEPSAKE_RECORD_ROOT=str(root), KEEPSAKE_RECORD_LOG=str(log),
            KEEPSAKE_RECORD_SYNC="1500", KEEPSAKE_RECORD_DIE=death)
        done = subprocess.run(
            [CHILD, "write", str(root / "Cut.keepsake"), str(seed), "--finish", "--budget", str(budget),
             "--largest", str(3 << 20)],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, -signal.SIGKILL if death else 0):
            raise Trouble(f"the recorded run failed: {done.stderr.strip()}")
        if death:
            resumed = sum(1 for _ in read_log(log))
    return root, list(read_log(log)), resumed


def death(number, chance):
    """When the first process of a run dies, in every other run; or never.

    The moments that have lost something once come first: the store has its name (r1), a folder of artifacts is made
    (d4 and on), and nothing of that is synced yet.
    """
    if number % 2 == 0:
        return ""
    kinds = (
        "r1", "d4", f"e{chance.randint(1, 60)}", f"d{chance.randint(4, 9)}", f"s{chance.randint(1, 60)}",
        f"w{chance.randint(1, 900)}", f"r{chance.randint(2, 30)}", f"d{chance.randint(1, 30)}")
    return kinds[number // 2 % len(kinds)]


def prove_whole(log, root, place):
    """Replayed without a cut, the log must give the very files that are there: then nothing was missed."""
    disk = Disk()
    for when, record_ in enumerate(log):
        disk.replay(when, *record_)
    disk.write(place)

    def listing(folder):
        return {
            each.relative_to(folder): each.read_bytes() if each.is_file() else None
            for each in folder.rglob("*") if not each.name.endswith("-shm")}

    there, replayed = listing(root), listing(place)
    different = [str(each) for each in there.keys() | replayed.keys() if there.get(each) != replayed.get(each)]
    if different or there.keys() != replayed.keys():
        raise Trouble(f"the recorder missed something that happened to {', '.join(sorted(different)[:5])}")
    shutil.rmtree(place)


def moments(log, count, resumed, chance):
    """Where to cut: anywhere; often right after something was acknowledged, when most is to be lost; and often soon
    after a process took over from one that died, before it has synced by chance what that one had not.
    """
    promised = [when + 1 for when, each in enumerate(log) if each[0] == "a"]
    if not promised:
        raise Trouble("the recorded run acknowledged nothing")
    first = [when for when in promised if when > resumed][:60] if resumed else []

    def moment():
        luck = chance.random()
        if first and luck < 0.4:
            return chance.choice(first)
        return chance.choice(promised) if luck < 0.7 else chance.randint(1, len(log))

    return sorted(moment() for _ in range(count))


class Tally:
    def __init__(self):
        self.lock = threading.Lock()
        self.states = self.acknowledged = 0
        self.bad = []

    def add(self, name, place):
        def answer(verdict):
            with self.lock:
                self.states += 1
                self.acknowledged += verdict.acknowledged
                if not verdict.is_good:
                    self.bad.append(f"{name}: {verdict.faults}")
            if verdict.is_good:
                shutil.rmtree(place)
        return answer


def prove_losses(count, seed, place, broken):
    """Shows that losses are found. A few states by chance may have lost nothing, so that others are tried then."""
    for attempt in range(ATTEMPTS):
        try:
            return run(count, seed + attempt * 1000, place.with_name(f"{place.name}-{attempt}"), broken)
        except NothingLost as trouble:
            last = trouble
    raise last


def run(count, seed, place, broken=None, dies_at=None):
    place.mkdir()
    library = place / "recorder.so"
    source = Path(__file__).with_name("recorder.c")
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        raise Trouble("there is no C compiler for the recorder. Install clang or gcc.")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
    tally = Tally()
    checkers = Checkers(min(4, os.cpu_count() or 1))
    records = syncs = 0
    # Of a few states each run is short, so that there are several runs all the same.
    states, budget = (STATES_A_RUN, 12 << 20) if count >= 8 * STATES_A_RUN else (-(-count // 4), 5 << 20)
    try:
        for number in range(0, count, states):
            work = place / f"run-{number}"
            dies = dies_at or death(number // states, random.Random(seed - number))
            root, log, resumed = record(work, seed + number, library, dies, budget)
            prove_whole(log, root, work / "whole")
            records += len(log)
            syncs += sum(each[0] == "e" for each in log)
            chance = random.Random(seed + number)
            when = moments(log, min(states, count - number), resumed, chance)
            cut(log, when, chance, work, tally, checkers, broken, dies)
            shutil.rmtree(root)
            (work / "log").unlink()
            if tally.bad and not broken:
                break
    finally:
        checkers.close()
    what = (
        f"{tally.states:,} crash states of {records:,} recorded operations with {syncs:,} syncs, "
        f"{tally.acknowledged:,} acknowledgements")
    if broken:
        if not tally.bad:
            raise NothingLost(f"with {broken} nothing was lost in {what}: the simulation proves nothing")
        return f"as it should, losses found in {len(tally.bad)} of {what}"
    if tally.bad:
        raise Trouble(f"{len(tally.bad)} of {what} are bad:\n  " + "\n  ".join(tally.bad[:5]))
    return f"{what}: 0 lost, 0 corrupt, 0 dangling"


def cut(log, when, chance, work, tally, checkers, broken, dies):
    disk = Disk(broken)
    promises = bytearray()
    now = 0
    for number, moment in enumerate(when):
        while now < moment:
            disk.replay(now, *log[now])
            if log[now][0] == "a":
                promises += log[now][4]
            now += 1
        state = work / f"state-{number}"
        disk.write(state, chance)
        acknowledgements = state / "acknowledgements"
        acknowledgements.write_bytes(promises)
        name = f"{state} cut after operation {moment} of {len(log)}" + (f", a process died at {dies}" if dies else "")
        checkers.submit(state / "Cut.keepsake", acknowledgements, tally.add(name, state))

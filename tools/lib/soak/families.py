"""Deletes chains of forks: oldest first, newest first, and in any order."""

import time

from stage import Trouble


def run(stage):
    depth = 60 if stage.is_short else 400
    orders = {
        "newest first": lambda ids: ids[::-1],
        "oldest first": lambda ids: ids,
        "in any order": lambda ids: stage.chance.sample(ids, len(ids)),
    }
    took = {}
    for name, order in orders.items():
        store, ids = chain(stage, f"{name.replace(' ', '-')}.keepsake", depth)
        began = time.monotonic()
        ordered = order(ids)
        for start in range(0, depth, 20):
            stage.keepsake("rm", *ordered[start:start + 20], store=store)
        took[name] = time.monotonic() - began
        stage.verify(store)
        left = stage.keepsake("ls", "--json", store=store).stdout.strip()
        if '"id"' in left:
            raise Trouble(f"{name}: sessions are left: {left[:300]}")
    slower = took["oldest first"] / took["newest first"]
    if slower > 8:
        raise Trouble(f"a chain of {depth} is deleted {slower:.0f} times more slowly from its oldest session on")
    return f"chains of {depth}: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in took.items())


def chain(stage, name, depth):
    store, session = stage.new_store(name)
    ids = [session]
    for number in range(depth):
        stage.append(ids[-1], f"entry {number}", store=store)
        if len(ids) < depth:
            ids.append(stage.keepsake("fork", ids[-1], store=store).stdout.split()[0])
    return store, ids

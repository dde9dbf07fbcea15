"""Fills a small disk by appending, and makes room as a person does: by deleting, sweeping, compacting."""

import subprocess

from stage import Trouble


def run(stage):
    disk = stage.place / "disk"
    disk.mkdir()
    rounds = 0
    while not rounds or not stage.is_over and not stage.is_short:
        # So large that a store keeps room for deleting before it is full.
        size = stage.chance.randint(115, 140)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}m,mode=0700", "tmpfs", str(disk)], capture_output=True)
        if mounted.returncode != 0:
            return "left out: this user may not mount a small disk"
        try:
            fill_and_free(stage, disk / "Full.keepsake", stage.chance.choice(("one", "many")))
        finally:
            subprocess.run(["umount", "-l", str(disk)], check=True)
        rounds += 1
    return f"{rounds} disks filled, and room made on each: by deleting, sweeping and compacting; nothing acknowledged lost"


def fill_and_free(stage, store, kind):
    session = stage.keepsake("new", "Kept", store=store).stdout.split()[0]
    kept = [f"kept {number}" for number in range(20)]
    for text in kept:
        stage.append(session, text, store=store)
    full = fill(stage, store, kind)
    # Full to the last byte, as another program leaves a disk.
    rest = store.parent / "rest"
    try:
        with rest.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    except OSError:
        pass  # It is full.
    if stage.append(session, "x" * 200_000, store=store, ok=False).returncode == 0:
        raise Trouble("the disk is full, and an entry was taken")
    for each in full:
        done = stage.keepsake("rm", each, store=store, ok=False)
        if done.returncode != 0:
            raise Trouble(f"deleting on a full disk ended with {done.returncode}: {done.stderr.strip()}")
    stage.keepsake("sweep", store=store)
    stage.keepsake("compact", store=store)
    stage.append(session, "after", store=store)
    there = stage.entries(session, store=store)
    if there != kept + ["after"]:
        raise Trouble(f"of what was acknowledged {len(there)} of {len(kept) + 1} entries are there")
    stage.verify(store)


def fill(stage, store, kind):
    """Sessions that take all the room that there is: files that are attached to one session, or to many."""
    sessions = []
    large = stage.place / "large.bin"
    for number in range(10_000):
        if not sessions or kind == "many":
            done = stage.keepsake("new", f"Large {number}", store=store, ok=False)
            if done.returncode != 0:
                break
            sessions.append(done.stdout.split()[0])
        large.write_bytes(stage.chance.randbytes(stage.chance.choice((100_000, 4_000_000))))
        done = stage.keepsake("attach", sessions[-1], str(large), store=store, ok=False)
        if done.returncode != 0:
            if "full" not in done.stderr:
                raise Trouble(f"a full disk is told as something else: {done.stderr.strip()}")
            break
    return sessions

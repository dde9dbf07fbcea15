"""Kills the command while it makes, backs up, exports, imports, attaches and deletes, and looks what is left."""

import time

from stage import Trouble


def run(stage):
    store = stage.place / "Soak.keepsake"
    stage.fill(store)
    large = stage.place / "large.bin"
    large.write_bytes(stage.chance.randbytes(8 << 20))
    bundle = stage.place / "all.tar"
    stage.keepsake("export", "--all", "--format", "bundle", "-o", str(bundle), store=store)
    kills = 0
    heaviest = 0
    # How long each command takes is not known: the moments of the kills follow what was too late, and too early.
    spans = {}
    while kills < 12 or not stage.is_over and not stage.is_short:
        for words, place in jobs(stage, store, large, bundle):
            span = spans.get(words[0], 0.4)
            process = stage.command(*words, store=place)
            time.sleep(stage.chance.uniform(0, span))
            was_early = process.poll() is None
            process.kill()
            process.wait()
            kills += was_early
            spans[words[0]] = min(5, span * (1.2 if was_early else 0.7))
            heaviest = max(heaviest, weight(left(stage)))
    # One more of each comes to its end. Whatever was left before is its to clear, or the sweep's.
    for words, place in jobs(stage, store, large, bundle):
        stage.keepsake(*words, store=place)
    after_opening = left(stage)
    # Each store that was made clears what was left in it. The notes of a killed import name no process, so a sweep goes by their age.
    for each in stage.place.glob("*.keepsake"):
        stage.keepsake("sweep", "--older-than", "0h", store=each)
    rest = left(stage)
    if rest:
        raise Trouble(f"after {kills} kills and a sweep these are left: {', '.join(str(each) for each in rest[:8])}")
    stage.verify(store)
    return (
        f"{kills} kills left up to {heaviest / 1e6:.1f} MB, openings left {weight(after_opening) / 1e6:.1f} MB of it, "
        "the sweep nothing")


def jobs(stage, store, large, bundle):
    """What is killed, and the store that it is done to. Stores have a place of their own; exports replace the last one."""
    number = stage.chance.randrange(1 << 30)
    large.write_bytes(stage.chance.randbytes(8 << 20))
    doomed = stage.keepsake("new", "Doomed", store=store).stdout.split()[0]
    stage.append(doomed, "gone\n" * 20_000, store=store)
    return (
        (("new", "Made"), stage.place / f"Made-{number}.keepsake"),
        (("backup", str(stage.place / f"Copy-{number}.keepsake")), store),
        (("export", "--all", "--force", "--format", "markdown", "-o", str(stage.place / "pages")), store),
        (("export", "--all", "--force", "--format", "bundle", "-o", str(stage.place / "again.tar")), store),
        (("import", str(bundle)), stage.place / f"Other-{number}.keepsake"),
        (("attach", doomed, str(large)), store),
        (("rm", doomed), store),
    )


def left(stage):
    """Files that nobody asked for: hidden ones, and all that is in the stores' folder for what is being written."""
    hidden = [each for each in stage.place.rglob("*") if each.name.startswith(".") or each.parent.name == "incoming"]
    return sorted(each for each in hidden if each.exists())


def weight(files):
    return sum(size(each) for file in files for each in ([file] if file.is_file() else file.rglob("*")))


def size(file):
    try:
        return file.stat().st_size if file.is_file() else 0
    except FileNotFoundError:
        return 0  # Its process ended it meanwhile.

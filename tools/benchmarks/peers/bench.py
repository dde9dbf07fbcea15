"""What is measured, and how much time each one has for it."""

import os
import random
import shutil
import statistics
import sys
import time

import figures
from driver import Driver, Failed
from workload import WORD, Workload

# Those that need a process for each thing.
PROCESSES = (figures.OWN_COMMAND, *figures.COMMANDS)
# The seconds that one contender may take for a measure: in full, and in a quick run. What it did in them is what counts.
BUDGETS = {
    "speed": (20, 4), "bulk": (12, 2), "disk": (20, 10), "syncs": (4, 2), "processes": (5, 1.5), "long": (12, 2),
    "kill": (6, 2)}


class Bench:
    def __init__(self, names, options, folder, nursery):
        self.names, self.options, self.folder, self.nursery = names, options, folder, nursery
        self.workload = Workload()
        self.rounds = 2 if options.quick else 5
        self.found = {name: {} for name in names}
        self.images, self.sessions = 0, 100
        self.began = time.monotonic()

    def say(self, text):
        print(f"bench: {time.monotonic() - self.began:5.0f} s  {text}", file=sys.stderr, flush=True)

    def budget(self, measure):
        return BUDGETS[measure][1 if self.options.quick else 0]

    def place(self, name, purpose):
        place = self.folder / f"{name.replace(' ', '-')}-{purpose}"
        place.mkdir()
        return place

    def driver(self, name, place):
        return Driver(name, place, self.nursery)

    def image(self, size=100_000):
        self.images += 1
        return str(self.workload.image(self.folder / f"image-{self.images}.png", size))

    def note(self, name, measure, body):
        """What one can't do, it says."""
        began = time.monotonic()
        try:
            value = body()
        except Failed as reason:
            self.found[name][measure] = {"cannot": str(reason)}
        else:
            if value is not None:
                self.found[name][measure] = value
        return time.monotonic() - began

    def each(self, measure, body):
        """A measure of all, one after another."""
        for name in self.names:
            seconds = self.note(name, measure, lambda: body(name))
            self.say(f"{measure}, {name}: {seconds:.1f} s")

    # MARK: Speed

    def speed(self):
        """By turns, one contender after the other in each measure: what disturbs one disturbs the next."""
        texts, images = self.workload.texts(200), [self.image() for _ in range(20)]
        drivers, samples, spent = {}, {}, {}
        for name in self.names:
            began = time.monotonic()
            try:
                drivers[name] = self.fill(name, texts, images)
            except Failed as reason:
                for measure in figures.SPEED:
                    if measure != "bulk":
                        self.found[name][measure] = {"cannot": str(reason)}
            self.say(f"speed, {name}: filled in {time.monotonic() - began:.1f} s")
        # Who needs a process for each thing takes its turns apart from those that need microseconds, and fewer of them.
        for names, rounds in (
            ([name for name in drivers if name not in PROCESSES], 3 * self.rounds),
            ([name for name in drivers if name in PROCESSES], self.rounds),
        ):
            for number in range(1, rounds + 1):
                self.turns({name: drivers[name] for name in names}, rounds, samples, spent)
                self.say(f"speed, round {number} of {rounds}: {', '.join(names)}")
        for (name, measure), medians in samples.items():
            if "cannot" not in self.found[name].get(measure, {}):
                self.found[name][measure] = {
                    "value": round(statistics.median(medians), 1), "unit": "µs", "rounds": len(medians)}
        for running in drivers.values():
            running.close()

    def fill(self, name, texts, images):
        """One session of 200 entries, 20 of them with an image, and nine of 20 entries without."""
        running = self.driver(name, self.place(name, "speed"))
        files = [images[index // 10] if index % 10 == 5 else None for index in range(200)]
        small = [{"session": session, "texts": texts[:20], "files": [None] * 20} for session in range(1, 10)]
        try:
            running.order("load", loads=[{"session": 0, "texts": texts, "files": files}, *small])
        except Failed:
            running.close()
            raise
        return running

    def turns(self, drivers, rounds, samples, spent):
        """A round: each measure of each of them, once at least, and again while its share of the time lasts."""
        texts, images = self.workload.texts(40), [self.image() for _ in range(8)]
        # In new sessions: an entry may cost more where there are others.
        self.sessions += 2
        orders = {
            "append": {"do": "append", "session": self.sessions, "texts": texts},
            "attach": {"do": "attach", "session": self.sessions + 1, "texts": texts[: len(images)], "files": images},
            "reload": {"do": "reload", "session": 0, "bytes": False, "times": 10},
            "reload bytes": {"do": "reload", "session": 0, "bytes": True, "times": 5},
            "search": {"do": "search", "word": WORD, "times": 10},
            "list": {"do": "list", "times": 10},
        }
        share = self.budget("speed") / rounds / len(orders)
        names = [name for name in drivers if spent.get(name, 0) < self.budget("speed")]
        for measure, order in orders.items():
            self.workload.random.shuffle(names)
            for name in names:
                def sample():
                    if measure in ("append", "attach"):
                        drivers[name].order("create", session=order["session"])
                    answer = drivers[name].order(**order, seconds=share)
                    if answer.get("why"):
                        raise Failed(answer["why"])
                    self.expect(measure, answer)
                    samples.setdefault((name, measure), []).append(statistics.median(answer["microseconds"]))

                if "cannot" not in self.found[name].get(measure, {}):
                    spent[name] = spent.get(name, 0) + self.note(name, measure, sample)

    @staticmethod
    def expect(measure, answer):
        if measure in ("reload", "reload bytes") and answer["count"] != 200:
            raise Failed(f"gave back {answer['count']} of 200 entries")
        if measure == "reload bytes" and answer["size"] != 20 * 100_000:
            raise Failed(f"gave back {answer['size']} of 2000000 bytes")
        if measure in ("search", "list") and not answer["count"]:
            raise Failed("found nothing")

    def bulk(self):
        """By turns, too; who has used its time is passed over."""
        files = [self.image(1_000_000) for _ in range(20 if self.options.quick else 100)]
        names = [name for name in self.names if name in (figures.OWN, "git", "fossil", "restic", "borg", "sqlite3 -A")]
        samples, spent = {}, dict.fromkeys(names, 0)
        for number in range(2 if self.options.quick else 3):
            for name in names:
                if spent[name] >= self.budget("bulk") or "cannot" in self.found[name].get("bulk", {}):
                    continue

                def measure():
                    place = self.place(name, f"bulk-{number}")
                    with self.driver(name, place) as running:
                        running.order("create", session=0)
                        time_ = running.order("bulk", files=files)["microseconds"][0]
                    # Whoever copies the files to where it looks for them has them twice.
                    copies = 2 if (place / "tree").exists() else 1
                    kept = figures.disk_use(place)
                    shutil.rmtree(place)
                    if kept < copies * len(files) * 1_000_000:
                        raise Failed(f"kept {kept} bytes")
                    samples.setdefault(name, []).append(len(files) * 1e6 / time_)

                seconds = self.note(name, "bulk", measure)
                spent[name] += seconds
                self.say(f"bulk, {name}: {seconds:.1f} s")
        for name, speeds in samples.items():
            if "cannot" not in self.found[name].get("bulk", {}):
                self.found[name]["bulk"] = {
                    "value": round(statistics.median(speeds)), "unit": "MB/s", "rounds": len(speeds), "files": len(files)}

    # MARK: Work, not time

    def disk(self):
        """Bytes on disk for each byte that was given, and what the same image costs 50 times."""
        sessions = 4 if self.options.quick else 10
        texts = self.workload.texts(50 * sessions)
        images = [self.image() for _ in range(5 * sessions)]
        given = sum(len(text.encode()) for text in texts) + sum(os.path.getsize(image) for image in images)

        def measure(name):
            place = self.place(name, "disk")
            limit = self.budget("disk")
            loads = []
            for session in range(sessions):
                files = [images[session * 5 + index // 10] if index % 10 == 5 else None for index in range(50)]
                loads.append({"session": session, "texts": texts[session * 50 : session * 50 + 50], "files": files})
            with self.driver(name, place) as running:
                running.order("load", limit=limit, loads=loads)
            before = figures.disk_use(place)
            log = sum(figures.disk_use(each) for each in place.glob("*.keepsake/*-wal"))

            def same():
                with self.driver(name, place) as running:
                    running.order("load", limit=limit, loads=[{"session": 99, "texts": texts[:50], "files": [images[0]] * 50}])
                return {"value": round((figures.disk_use(place) - before) / 1e3), "unit": "KB"}

            self.note(name, "same image", same)
            shutil.rmtree(place)
            return {"value": round(before / given, 2), "unit": "x", "of which log": round(log / given, 2)}

        self.each("disk", measure)

    def syncs(self):
        image = self.image()

        def measure(name):
            entry, attached = Driver.syncs(
                name, self.place(name, "syncs"), self.nursery, 6, image, self.budget("syncs") / 4)
            self.found[name]["attach syncs"] = {"value": attached, "unit": "syncs"}
            return {"value": entry, "unit": "syncs"}

        self.each("syncs", measure)

    def processes(self):
        """Four at a time append to one session: what was acknowledged, and what of it is there."""
        texts = self.workload.texts(50)

        def measure(name):
            place = self.place(name, "processes")
            with self.driver(name, place) as first:
                first.order("create", session=0)
                first.order("append", session=0, texts=texts[:1])
            running = [self.driver(name, place) for _ in range(4)]
            for each in running:
                each.send("append", session=0, texts=texts, seconds=self.budget("processes"), tells=True)
            # The last ones may have begun just before their time was over, and wait for a lock.
            end = time.monotonic() + 3 * self.budget("processes") + 5
            outcomes = [each.told(end) for each in running]
            for each in running:
                each.close()
            acknowledged, rejected, unfinished = (sum(outcome[index] for outcome in outcomes) for index in range(3))
            with self.driver(name, place) as last:
                present = last.order("count", session=0)["count"] - 1
            return {
                "acknowledged": acknowledged, "present": present, "rejected": rejected, "unfinished": unfinished,
                "why": next((outcome[3] for outcome in outcomes if outcome[3]), None),
                "value": max(0, acknowledged - present) + rejected + unfinished, "unit": "lost or refused"}

        self.each("processes", measure)

    def long(self):
        """3,000 entries in one session: what the last ones cost against the first, of those that its time sufficed for."""
        texts = self.workload.texts(600 if self.options.quick else 3000)

        def measure(name):
            place = self.place(name, "long")
            with self.driver(name, place) as running:
                running.order("create", session=0)
                answer = running.order("append", session=0, texts=texts, seconds=self.budget("long"))
            # Gigabytes, where each entry writes all those before it again.
            shutil.rmtree(place)
            if answer.get("why"):
                raise Failed(answer["why"])
            samples = answer["microseconds"]
            tenth = max(1, len(samples) // 10)
            first, last = statistics.median(samples[:tenth]), statistics.median(samples[-tenth:])
            return {
                "entries": len(samples), "first": round(first, 1), "last": round(last, 1),
                "value": round(last / first, 2), "unit": "x"}

        self.each("long", measure)

    def kill(self):
        def measure(name):
            dice = random.Random(3)
            place = self.place(name, "kill")
            with self.driver(name, place) as first:
                first.order("create", session=0)
                first.order("append", session=0, texts=["first"])
            began, kills, acknowledged, why = time.monotonic(), 0, 0, None
            while kills < self.rounds and (kills == 0 or time.monotonic() - began < self.budget("kill")):
                running = self.driver(name, place)
                try:
                    acknowledged += running.kill_while_appending(dice.uniform(0.3, 0.6))
                except Failed as reason:
                    # It takes no more entries after the kill: that is what a kill does to it.
                    if kills == 0:
                        raise
                    why = str(reason)
                    break
                kills += 1
            with self.driver(name, place) as last:
                present = last.order("count", session=0)["count"] - 1
            # One at a time may have been kept and not acknowledged any more.
            return {
                "acknowledged": acknowledged, "present": present, "kills": kills, "why": why,
                "value": max(0, acknowledged - present), "unit": "missing"}

        self.each("kill", measure)

    def run(self):
        for measure in (self.speed, self.bulk, self.disk, self.syncs, self.processes, self.long, self.kill):
            measure()
        return self.found

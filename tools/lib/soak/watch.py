"""Files that are written as agents write them, while they are watched: in pieces, by two programs at once, cut short and gone on
with in another way, written anew, renamed over and moved. The watch is killed at random moments and started again."""

import json
import signal
import sqlite3
import subprocess
import time
import uuid

from stage import Trouble

# How many files there are at most.
FILES = {"short": 12, "long": 100}
# An entry's number in the database has the entry's position in so many low bits, and the session's number above them.
POSITION_BITS = 24


def run(stage):
    full = fill_disk(stage)
    store = stage.place / "Watched.keepsake"
    agent = Agent(stage)
    rounds = kills = 0
    while not stage.is_over:
        watch = stage.command("watch", str(agent.root), store=store)
        deadline = time.monotonic() + stage.chance.choice((0, 0.02, 0.1, 0.3, 0.6))
        while time.monotonic() < deadline:
            agent.act()
        if stage.chance.random() < 0.2:
            agent.remember(store)
        watch.send_signal(stage.chance.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGTERM)))
        kills += watch.wait(timeout=60) == -signal.SIGKILL
        rounds += 1
        # Agents go on while nobody watches.
        for _ in range(stage.chance.randrange(3)):
            agent.act()
    agent.finish()
    taken = catch_up(stage, store, agent.root)
    lines = agent.check(store)
    stage.verify(store)
    return (
        f"{rounds} watches, {kills} of them killed, of {len(agent.files)} files with {lines:,} lines: all of them are in "
        f"the store as they stand, and {len(agent.remembered)} that stood so before; {taken} files had something new at the end; {full}")


def fill_disk(stage):
    """A watch whose disk is full waits, says so, and goes on once there is room."""
    disk, folder = stage.place / "disk", stage.place / "agents"
    disk.mkdir()
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", str(disk)], capture_output=True)
    if mounted.returncode != 0:
        return "a full disk was left out: this user may not mount a small one"
    try:
        store = disk / "Full.keepsake"
        watch = stage.command(
            "watch", str(folder), "--json", store=store, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_for(watch, "looked")
        rest = disk / "rest"
        try:
            with rest.open("wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
        except OSError:
            pass  # It is full.
        agent = Agent(stage)
        file = {"session": "s-1", "path": folder / "s-1.jsonl", "lines": [], "begun": False, "format": "claude-code"}
        while sum(map(len, file["lines"])) < 1 << 20:
            agent.append(file)
        wait_for(watch, "waits")
        agent.append(file)
        rest.unlink()
        wait_for(watch, "goesOn")
        watch.send_signal(signal.SIGTERM)
        watch.communicate(timeout=60)
        catch_up(stage, store, folder)
        agent.files = [file]
        agent.check(store)
        stage.verify(store)
    finally:
        stage.end()
        subprocess.run(["umount", "-l", str(disk)], check=True)
    return "one whose disk was full went on"


def wait_for(watch, event):
    for line in watch.stdout:
        if event in json.loads(line):
            return
    raise Trouble(f"a watch ended by itself before it said '{event}': {watch.stderr.read()}")


def catch_up(stage, store, root):
    """Lets a watch look at all that is there; gives of how many files it took something."""
    watch = stage.command(
        "watch", str(root), "--json", store=store, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    taken = 0
    for line in watch.stdout:
        event = json.loads(line)
        taken += "took" in event
        if "looked" in event:
            break
    else:
        raise Trouble(f"a watch ended by itself: {watch.stderr.read()}")
    watch.send_signal(signal.SIGTERM)
    watch.communicate(timeout=60)
    return taken


class Agent:
    """Writes files of lines, as programs do."""

    def __init__(self, stage):
        self.stage, self.chance = stage, stage.chance
        self.root = stage.place / "projects"
        self.files = []
        self.remembered = []
        self.count = 0
        self.most = FILES["short" if stage.is_short else "long"]
        (self.root / "one").mkdir(parents=True, exist_ok=True)
        (self.root / "two").mkdir(exist_ok=True)

    def line(self, file):
        """A line as the file's program writes it; each has an id of its own."""
        self.count += 1
        time, own = "2026-11-24T10:00:00.000Z", str(uuid.UUID(int=self.chance.getrandbits(128)))
        role = self.chance.choice(("user", "assistant"))
        text = f"Line {self.count}. " + "word " * self.chance.choice((0, 3, 200, 4000))
        if file["format"] == "claude-code":
            line = {
                "type": role, "uuid": own, "parentUuid": None, "sessionId": file["session"], "timestamp": time,
                "cwd": "/home/alice", "message": {"role": role, "content": text}}
        elif file["format"] == "gemini-cli" and not file["begun"]:
            line = {"sessionId": file["session"], "projectHash": "a", "startTime": time, "lastUpdated": time, "kind": "main"}
        elif file["format"] == "gemini-cli":
            line = {"id": own, "timestamp": time, "type": "user" if role == "user" else "gemini", "content": text}
        elif not file["begun"]:
            line = {"timestamp": time, "type": "session_meta", "payload": {
                "id": file["session"], "timestamp": time, "cwd": "/home/alice", "originator": "codex_cli_rs"}}
        else:
            kind = "input_text" if role == "user" else "output_text"
            line = {"timestamp": time, "type": "response_item", "payload": {
                "type": "message", "role": role, "id": own, "content": [{"type": kind, "text": text}]}}
        file["begun"] = True
        return json.dumps(line, separators=(",", ":")) + "\n"

    def act(self):
        if len(self.files) < self.most and self.chance.random() < 0.1 or not self.files:
            session = str(uuid.UUID(int=self.chance.getrandbits(128)))
            path = self.root / self.chance.choice(("one", "two")) / f"{session}.jsonl"
            self.files.append({
                "session": session, "path": path, "lines": [], "begun": False,
                "format": self.chance.choice(("claude-code", "codex", "gemini-cli"))})
        file = self.chance.choice(self.files)
        action = self.chance.choices(
            (self.append, self.pieces, self.together, self.cut, self.rewrite, self.move), (8, 6, 2, 1, 1, 1))[0]
        action(file)

    def new(self, file):
        return [self.line(file) for _ in range(self.chance.randrange(1, 6))]

    def append(self, file):
        lines = self.new(file)
        with file["path"].open("a") as out:
            out.write("".join(lines))
        file["lines"] += lines

    def pieces(self, file):
        """A line that takes several writes to come to its end."""
        for line in self.new(file):
            text = line.encode()
            with file["path"].open("ab", buffering=0) as out:
                while text:
                    size = self.chance.randrange(1, len(text) + 1)
                    out.write(text[:size])
                    text = text[size:]
                    if self.chance.random() < 0.3:
                        time.sleep(0.002)
            file["lines"].append(line)

    def together(self, file):
        """Two programs have the file open, and write to it by turns."""
        with file["path"].open("ab", buffering=0) as one, file["path"].open("ab", buffering=0) as other:
            for line in self.new(file):
                self.chance.choice((one, other)).write(line.encode())
                file["lines"].append(line)

    def cut(self, file):
        """The last lines go, and others come."""
        if len(file["lines"]) < 3:
            return
        gone = self.chance.randrange(1, 3)
        del file["lines"][-gone:]
        with file["path"].open("r+") as out:
            out.truncate(sum(len(line.encode()) for line in file["lines"]))
        self.append(file)

    def rewrite(self, file):
        """All of it is written to another file, which takes the place of this one."""
        if len(file["lines"]) < 3:
            return
        if self.chance.random() < 0.5:
            del file["lines"][-1:]
        file["lines"] += self.new(file)
        beside = file["path"].with_name("." + file["path"].name)
        beside.write_text("".join(file["lines"]))
        beside.replace(file["path"])

    def move(self, file):
        if not file["path"].exists():
            return
        goal = self.root / ("two" if file["path"].parent.name == "one" else "one") / file["path"].name
        file["path"].rename(goal)
        file["path"] = goal

    def remember(self, store):
        """Has a file taken in by name, beside the watch, to see at the end that this version of it is kept."""
        file = self.chance.choice(self.files) if self.files else None
        if not file or not file["lines"]:
            return
        text = "".join(file["lines"])
        session = self.imported(store, file["path"])
        if session:
            self.remembered.append((session["id"], file["format"], text))

    def finish(self):
        """Each file says something in the end."""
        for file in self.files:
            while len(file["lines"]) < 3:
                self.append(file)

    def imported(self, store, path):
        """The session that a file is, as an import by name says; None where there is no conversation in it yet."""
        report = json.loads(self.stage.keepsake("import", str(path), "--json", store=store).stdout)
        if len(report["sessions"]) > 1:
            raise Trouble(f"{path} became {len(report['sessions'])} sessions: {report}")
        return report["sessions"][0] if report["sessions"] else None

    def exported(self, store, session, format):
        return self.stage.keepsake("export", session, "--format", format, "-o", "-", store=store).stdout

    def check(self, store):
        for file in self.files:
            text = file["path"].read_text()
            if text != "".join(file["lines"]):
                raise Trouble(f"the generator lost count of {file['path']}")
            session = self.imported(store, file["path"])
            if not session or session["added"] or session["new"] or session["revised"]:
                raise Trouble(f"the watch did not take in all of {file['path']}: {session}")
            if self.exported(store, session["id"], file["format"]) != text:
                raise Trouble(f"session {session['id']} does not give back {file['path']}")
        for session, format, text in self.remembered:
            if not self.exported(store, session, format).startswith(text):
                raise Trouble(f"session {session} does not give back what its file once was")
        database = sqlite3.connect(f"file:{store}/store.sqlite?mode=ro", uri=True)
        twice = database.execute("SELECT key, count(*) FROM entry GROUP BY key HAVING count(*) > 1").fetchall()
        # The state tells whether a session is shown, or what is left of an import that was killed.
        places = database.execute(f"""
            SELECT DISTINCT lower(hex(s.id)), s.state, s.parent FROM session AS s JOIN entry AS e ON e.id >> {POSITION_BITS} = s.number
            WHERE e.key IN (SELECT key FROM entry GROUP BY key HAVING count(*) > 1)""").fetchall()
        database.close()
        if twice:
            raise Trouble(
                f"{len(twice)} lines are in the store more than once, such as {twice[0]}, in sessions (id, state, parent) {places}")
        return sum(len(file["lines"]) for file in self.files)

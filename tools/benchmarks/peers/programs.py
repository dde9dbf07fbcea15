"""Programs that keep files: a session is a file of lines, which each entry makes longer; an image is a file beside it.

A commit, or a backup, after each entry is what makes it durable. Each does what it is asked for in as few processes as its
documentation has a way for.
"""

import io
import itertools
import json
import os
import shutil
import subprocess
import tarfile

from contender import Cannot, Contender


def run(arguments, folder, environment=None, wanted=(0,), given=b""):
    done = subprocess.run(
        [str(each) for each in arguments], cwd=folder, env={**os.environ, **(environment or {})}, input=given,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in wanted:
        raise RuntimeError(f"{arguments[0]} {arguments[1]}: {done.stderr.decode(errors='replace').strip()[-150:]}")
    return done.stdout


class Files(Contender):
    """Writes the files; who commits them is said below."""

    def __init__(self, folder):
        self.folder, self.tree = folder, folder / "tree"
        if not self.tree.exists():
            self.tree.mkdir(parents=True)
            self.begin()

    def begin(self):
        raise NotImplementedError

    def add(self, paths):
        """Tells it of files that it does not know."""

    def commit(self, paths):
        """Keeps these files, all of which it was told of, as they are now."""
        raise NotImplementedError

    def read(self, path):
        """A file's bytes as they were committed."""
        raise NotImplementedError

    def read_all(self, paths):
        """The bytes of several files, one after another."""
        raise NotImplementedError

    def create(self, session):
        (self.tree / f"{session}.jsonl").touch()
        self.add([f"{session}.jsonl"])

    def write(self, session, text, image=None):
        with open(self.tree / f"{session}.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps({"text": text, "image": image}, ensure_ascii=False) + "\n")

    def append(self, session, text):
        self.write(session, text)
        self.commit([f"{session}.jsonl"])

    def put(self, session, text, file):
        name = f"{session}-{os.getpid()}-{sum(1 for _ in self.tree.iterdir())}.png"
        shutil.copyfile(file, self.tree / name)
        self.write(session, text, name)
        return name

    def attach(self, session, text, file):
        name = self.put(session, text, file)
        self.add([name])
        self.commit([f"{session}.jsonl", name])

    def load_all(self, loads):
        names = []
        for session, texts, files in loads:
            names.append(f"{session}.jsonl")
            for text, file in zip(texts, files):
                if file is None:
                    self.write(session, text)
                else:
                    names.append(self.put(session, text, file))
        self.add(names)
        self.commit(names)

    def prepare_bulk(self, files):
        for file in files:
            shutil.copyfile(file, self.tree / f"bulk-{file.name}")
        os.sync()

    def bulk(self, files):
        names = [f"bulk-{file.name}" for file in files]
        self.add(names)
        self.commit(names)

    def reload(self, session, needs_bytes):
        entries = [json.loads(line) for line in self.read(f"{session}.jsonl").splitlines()]
        images = [entry["image"] for entry in entries if entry["image"]]
        return len(entries), len(self.read_all(images)) if needs_bytes else 0


class Git(Files):
    """With its own syncs on: by default a commit waits for no disk."""

    def begin(self):
        run(["git", "init", "-q"], self.tree)
        for setting in ("user.name=a", "user.email=a@example.org", "core.fsync=all", "core.compression=0", "gc.auto=0"):
            run(["git", "config", *setting.split("=")], self.tree)

    def add(self, paths):
        run(["git", "add", *paths], self.tree)

    def commit(self, paths):
        run(["git", "commit", "-q", "-m", "entry", "--", *paths], self.tree)

    def read(self, path):
        return run(["git", "cat-file", "blob", f"HEAD:{path}"], self.tree)

    def read_all(self, paths):
        names = "".join(f"HEAD:{path}\n" for path in paths)
        said, bytes_ = io.BytesIO(run(["git", "cat-file", "--batch"], self.tree, given=names.encode())), b""
        while head := said.readline():
            bytes_ += said.read(int(head.split()[2]))
            said.read(1)
        return bytes_

    def search(self, word):
        return len(run(["git", "grep", "-h", word, "HEAD"], self.tree, wanted=(0, 1)).splitlines())

    def list(self):
        return len(run(["git", "ls-tree", "HEAD"], self.tree).splitlines())


class Fossil(Files):
    def begin(self):
        environment = {"USER": "a", "FOSSIL_HOME": str(self.folder)}
        run(["fossil", "init", self.folder / "repository.fossil"], self.folder, environment)
        run(["fossil", "open", "--force", self.folder / "repository.fossil"], self.tree, environment)

    def fossil(self, *arguments):
        return run(["fossil", *arguments], self.tree, {"USER": "a", "FOSSIL_HOME": str(self.folder)})

    def add(self, paths):
        self.fossil("add", *paths)

    def commit(self, paths):
        self.fossil("commit", "-m", "entry", "--no-warnings", "--allow-empty", "--no-prompt")

    def read(self, path):
        return self.fossil("cat", path)

    def read_all(self, paths):
        return self.fossil("cat", *paths)

    def list(self):
        return len(self.fossil("ls").splitlines())

    def search(self, word):
        raise Cannot("searches no files")


class Restic(Files):
    def restic(self, *arguments):
        return run(
            ["restic", "-q", "--repo", self.folder / "repository", "--cache-dir", self.folder / "cache", *arguments], self.tree,
            {"RESTIC_PASSWORD": "a"})

    def begin(self):
        self.restic("init")

    def commit(self, paths):
        self.restic("backup", ".")

    def read(self, path):
        return self.restic("dump", "latest", f"/{path}")

    def read_all(self, paths):
        target = self.folder / f"restored-{os.getpid()}"
        included = [word for path in paths for word in ("--include", f"/{path}")]
        self.restic("restore", "latest", "--target", target, *included)
        bytes_ = b"".join((target / path).read_bytes() for path in paths)
        shutil.rmtree(target)
        return bytes_

    def list(self):
        return len(self.restic("ls", "latest").splitlines())

    def search(self, word):
        raise Cannot("searches no files")


class Borg(Files):
    def borg(self, *arguments):
        return run(
            ["borg", *arguments], self.tree,
            {"BORG_REPO": str(self.folder / "repository"), "BORG_BASE_DIR": str(self.folder),
             "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes"})

    def begin(self):
        self.made = 0
        self.borg("init", "--encryption", "none")

    def commit(self, paths):
        number = int.from_bytes(os.urandom(6), "big")
        self.borg("create", "-C", "none", f"::entry-{number}", ".")
        (self.folder / "newest").write_text(f"entry-{number}")

    def read(self, path):
        return self.read_all([path])

    def read_all(self, paths):
        newest = (self.folder / "newest").read_text()
        return self.borg("extract", "--stdout", f"::{newest}", *paths)

    def list(self):
        newest = (self.folder / "newest").read_text()
        return len(self.borg("list", f"::{newest}").splitlines())

    def search(self, word):
        raise Cannot("searches no files")


class Keepsake(Contender):
    """The command, a process for each thing: as the other programs have it."""

    def __init__(self, folder):
        self.store, self.ids = folder / "store.keepsake", folder / "ids"
        self.ids.mkdir(parents=True, exist_ok=True)

    def keepsake(self, *arguments, given=b""):
        return run([os.environ["KEEPSAKE"], "--store", self.store, *arguments], self.ids, given=given)

    def id(self, session):
        return (self.ids / str(session)).read_text()

    def create(self, session):
        (self.ids / str(session)).write_text(self.keepsake("new", str(session)).decode().strip())

    def append(self, session, text):
        self.keepsake("append", self.id(session), "--kind", "response", text)

    def attach(self, session, text, file):
        self.keepsake("append", self.id(session), "--kind", "response", text, "--attach", file)

    def load(self, session, texts, files):
        """Entries without images by as many as there are in a row."""
        for has_file, group in itertools.groupby(zip(texts, files), lambda each: each[1] is not None):
            if has_file:
                for text, file in group:
                    self.attach(session, text, file)
            else:
                lines = [json.dumps({"kind": "response", "segments": [{"text": text}]}) for text, _ in group]
                self.keepsake("append", self.id(session), given="\n".join(lines).encode())

    def reload(self, session, needs_bytes):
        if not needs_bytes:
            return len(json.loads(self.keepsake("show", self.id(session), "--json"))["entries"]), 0
        bundle = self.keepsake("export", self.id(session), "--format", "bundle")
        with tarfile.open(fileobj=io.BytesIO(bundle)) as archive:
            members = {member.name: archive.extractfile(member).read() for member in archive}
        records = [each for name, text in members.items() if name.startswith("records/") for each in json.loads(text)]
        images = [bytes_ for name, bytes_ in members.items() if name.startswith("artifacts/")]
        return sum("entry" in each for each in records), sum(map(len, images))

    def search(self, word):
        return len(self.keepsake("search", word, "--jsonl").splitlines())

    def list(self):
        return len(self.keepsake("ls", "--jsonl").splitlines())


class SQLiteArchive(Contender):
    """`sqlite3 -A`: an archive of files in a database."""

    def __init__(self, folder):
        self.folder = folder

    def create(self, session):
        pass

    def append(self, session, text):
        raise Cannot("keeps files only")

    def attach(self, session, text, file):
        raise Cannot("keeps files only")

    def load_all(self, loads):
        raise Cannot("keeps files only")

    def reload(self, session, needs_bytes):
        raise Cannot("keeps files only")

    def bulk(self, files):
        run(["sqlite3", self.folder / "files.sqlar", "-Ac", *files], self.folder)


ALL = {"git": Git, "fossil": Fossil, "restic": Restic, "borg": Borg, "sqlite3 -A": SQLiteArchive, "keepsake command": Keepsake}

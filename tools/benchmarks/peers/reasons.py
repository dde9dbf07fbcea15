"""Why another one is ahead, where it is: a sentence that an engineer can check."""

START = (
    "What is compared is how a process starts: the command's binary carries Swift's runtime and Foundation, whose pages are "
    "mapped and relocated before its first line runs, and then it opens a store. To check: `perf stat -e "
    "page-faults,task-clock` of it, of `keepsake --version` and of `git --version`; in a profile the kernel and the dynamic "
    "linker have most of it. The library, in a process that stays, is in the table's first row.")
WRITING = (
    "The command starts slower, as where it only lists; then it waits for the disk three times: for the store's own name in the "
    "folder above it, for the log's name, and for the entry, and about every thirtieth process brings the log home. To check: "
    "`strace -f -c -e trace=fsync,fdatasync` of an append, and `perf stat -e page-faults,task-clock` of both.")
BUNDLE = (
    "The command starts slower, as where it only lists; and it hands out a bundle, for which each record is read with its "
    "digest and written as JSON, and each artifact is hashed as it is read. To check: `perf record` of `keepsake export "
    "--format bundle`: the kernel has most of it, then come Keepsake's own code, libcrypto, SQLite and the dynamic linker.")
ALONE = (
    "Keepsake waits for the disk for each file and for each of their folders, up to eight at a time; the other one waits once or "
    "a few times for all of them together. The slower the disk's syncs are, the less Keepsake is ahead; the goal is that of a "
    "disk with nobody else on it. To check: `strace -f -c -e trace=fsync,fdatasync` of both.")

# (contender, measure): reason. What a contender's missing syncs explain is found by itself (figures.py).
REASONS = {
    ("git", "list"): START, ("git", "search"): START, ("git", "reload"): START, ("fossil", "list"): START,
    ("fossil", "reload"): START, ("git", "reload bytes"): BUNDLE, ("fossil", "reload bytes"): BUNDLE,
    ("git", "append"): WRITING, ("git", "attach"): WRITING, ("git", "long"): WRITING, ("fossil", "long"): WRITING,
    ("git", "bulk"): ALONE, ("fossil", "bulk"): ALONE, ("restic", "bulk"): ALONE, ("borg", "bulk"): ALONE,
    ("sqlite3 -A", "bulk"): ALONE,
}

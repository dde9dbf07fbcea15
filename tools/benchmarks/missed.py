"""Why a goal of tools/bench is missed, where it is, in words that another engineer can check.

A reason is printed only where its goal is missed; one for a goal that is always met can go.
"""

HAND_OVER = (
    "An append is handed to the writer's thread, which wakes the caller when it is durable: two changes of threads that plain C "
    "with its one thread does not make. They buy group commit: see the rows of 16 tasks. To check: `perf sched latency` of "
    "both, or append from as many tasks as there are cores, where the hand-overs overlap with the disk.")

SMALL = (
    "Below 128 KiB bytes go through the same hand-over as an append, and are a row: their pages are written to the log, and to "
    "the database later. A file of its own is written once, and its folder holds no chain, no counters and no audit. To check: "
    "`strace -c` of both; the bytes that a put writes against its size.")

VALUES = (
    "C looks at each row in place and keeps nothing. An entry that is handed out lives on: its text and its list of segments are "
    "allocations of their own. To check: `perf record` of `tools/bench --only 'reload'`; malloc, free, memmove and the counting "
    "of references are most of what is not SQLite.")

TAIL = (
    "Open. Whoever comes while a batch commits waits for that commit and for its own, and now and then for a checkpoint, which "
    "the writer does between two batches; how much of the tail is which was not taken apart yet. To check: `tools/bench --only "
    "'16 tasks'` with a log that is never checkpointed.")

NEAR = (
    "Open. It is missed by no more than two runs of this machine differ by, and no single part stands out in a profile.")

START = (
    "Swift's runtime and Foundation, linked into the binary, are mapped and set up before the first line runs: `perf record` "
    "shows the kernel's page faults, not our code. Linking it to a fixed address, without relocations, was tried and is hardly "
    "faster. To check: `perf stat -e page-faults,task-clock` of it and of git.")

# The beginning of a row's name: the reason.
MISSED = {
    "append, one per call": HAND_OVER,
    "append p50 against the disk's floor": HAND_OVER,
    "batch of 1000": NEAR,
    "16 tasks, p99": TAIL,
    "16 processes against 1": NEAR,
    "put 1 KB": SMALL,
    "put 10 KB": SMALL,
    "put 50 KB": SMALL,
    "put 100 KB": SMALL,
    "put 1 MB": (
        "Open. It differs most from run to run: 0.76 to 1.04 of C. What it adds to writing, hashing and syncing is the same for "
        "10 and 100 MB, where the goal is met."),
    "put 100 MB again": (
        "Open. Nothing is written, and the bytes are hashed once, on one thread. Before that a few of them are compared with the "
        "known artifact; what else there is beside SHA-256 was not taken apart yet."),
    "reload": VALUES,
    "on disk: the index of search": (
        "Short texts of few words, which this material is, have more index for their size than prose: each document costs its "
        "row and its place in every word's list. To check: the tables search_data and document, by `dbstat`."),
    "read 10 KB again": (
        "An artifact that is a row is hashed at each read: nothing else tells altered bytes from right ones, while a file is "
        "trusted as long as its device, inode, size and times stay the same. To check: SHA-256's speed stands above; 10 KB at "
        "that speed take about as long as opening, reading and closing a file."),
    "search, the newest 20": (
        "The goal was measured with the index alone. A page of hits also reads each hit's entry and session, and cuts a snippet "
        "out of its text. To check: `perf record` of `tools/bench --only 'search, the newest'`; the index's share is that of "
        "the fts5 functions."),
    "command: --version": START,
    "keepsake --version": START,
    "written for the index of a key": (
        "A key that is a random UUID falls anywhere in its index: to the leaf's page come the pages of leaves that are full and "
        "split, and the entry's row, which holds the key, too, is longer. To check: keys that ascend split only the last leaf."),
}

"""Why a goal of tools/bench is missed, where it is, in words that another engineer can check.

A reason is printed only where its goal is missed; one for a goal that is always met can go.
"""

HAND_OVER = (
    "An append is handed to the writer's thread, which wakes the caller when it is durable: two changes of threads that plain C "
    "with its one thread does not make. They buy group commit: see the rows of 16 tasks. To check: `perf sched latency` of "
    "both, or append from as many tasks as there are cores, where the hand-overs overlap with the disk.")

START = (
    "Swift's runtime and Foundation, linked into the binary, are mapped and set up before the first line runs: `perf record` "
    "shows the kernel's page faults, not our code. Linking it to a fixed address, without relocations, was tried and is hardly "
    "faster. To check: `perf stat -e page-faults,task-clock` of it and of git.")

# The beginning of a row's name: the reason.
MISSED = {
    "append, one per call": HAND_OVER,
    "append p50 against the disk's floor": HAND_OVER,
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

"""Why a goal of tools/bench is missed, where it is, in words that another engineer can check.

A reason is printed only where its goal is missed; one for a goal that is always met can go.
"""

COLD = (
    "An append that is alone runs on the thread that asks for it, as in C. After each wait for the disk its code and data have to "
    "come into the processor's caches again, and Keepsake has more of both than the yardstick: it checks, pairs, tells observers "
    "and hands out values. One in nine goes to the writer's thread, so that a loop does not keep a thread that tasks share. To "
    "check: `perf stat -e context-switches` of `tools/bench --only 'append, one per call'`; in a batch, where nothing waits, an "
    "entry takes a twentieth of the time.")

SMALL = (
    "Up to 128 KiB bytes are a row: their pages are written to the log, and to the database later, by a checkpoint that comes the "
    "sooner the larger they are; the yardstick does the same. A file of its own is written once, and its folder holds no chain, "
    "no counters and no audit. To check: `strace -c` of both; the bytes that a put writes against its size.")

VALUES = (
    "C looks at each row in place and keeps nothing. An entry that is handed out lives on: its text and its list of segments are "
    "allocations of their own. To check: `perf record` of `tools/bench --only 'reload'`; malloc, free, memmove and the counting "
    "of references are most of what is not SQLite.")

TAIL = (
    "Who comes while a batch commits waits for that commit and for its own. 16 tasks in 16 sessions write 16 times the pages of "
    "one, so that a commit of theirs takes about five times as long as that of a lone append, against which it is held; the "
    "hundredth part that counts here is the longest of a round's hundred commits. Checkpoints come every 8,000 pages while several "
    "write. Run by itself the row is 6 to 10, after other measures up to 30: what the disk still has to write of theirs counts, "
    "too. To check: `tools/bench --only '16 tasks'`, and `perf trace -s` for the times of fdatasync.")

NEAR = (
    "Open. It is missed by no more than two runs of this machine differ by, and no single part stands out in a profile.")

START = (
    "The yardstick is `true`, a process that does nothing. Of the command's 515 page faults 284 are the dynamic "
    "linker's, which writes addresses into the pages of Swift's runtime and of Foundation, as a binary needs that may lie "
    "anywhere in memory; at a fixed address there are 242 fewer, and it is easier to attack, so it has none. To check: `perf stat "
    "-e page-faults,task-clock` of it, of `true` and of git.")

# The beginning of a row's name: the reason.
MISSED = {
    "append, one per call": COLD,
    "append p50 against the disk's floor": COLD,
    "batch of 1000": NEAR,
    "16 tasks, p99": TAIL,
    "16 processes against 1": NEAR,
    "16 tasks against 1": NEAR,
    "put 1 KB": SMALL,
    "put 10 KB": SMALL,
    "put 50 KB": SMALL,
    "put 100 KB": SMALL,
    "put 1 MB": (
        "Open. It differs most from run to run: 0.76 to 1.04 of C. What it adds to writing, hashing and syncing is the same for "
        "10 and 100 MB, where the goal is met."),
    "put 100 MB again": (
        "Open. Nothing is written. One thread reads while another hashes what was read; that new bytes, which are written and synced "
        "as well, come in as fast shows that it is neither the comparison with the known artifact nor the hashing alone."),
    "reload": VALUES,
    "read 1 MB again": NEAR,
    "read 10 KB again": (
        "A read is a transaction, which asks SQLite whether anybody wrote to the store since the row was hashed; C opens a file, "
        "reads and closes it. Run by itself the row is 0.82, after other measures 0.6 to 0.7. To check: `perf record` of "
        "`tools/bench --only 'read 10 KB'`."),
    "append while a reader": (
        "While a reader holds a snapshot the log can't begin anew. Its file is made longer by zeros ahead of the pages, 256 KiB at a "
        "time, which a twentieth of the commits waits for; before that each commit waited until the file system had noted "
        "the new length, 1.6 to 2 times as long as without a reader. To check: `strace -e pwrite64`."),
    "search catches up": (
        "Open. The same build gives 1.28 to 1.73 in one hour, as the yardstick's time differs by half. What is Keepsake's own is "
        "reading the entry, folding its text and cutting it into words."),
    "on disk: the index of search": (
        "FTS5 takes a byte for each word's place and two for each different word of an entry: 0.38 of this material's bytes, which "
        "has 180 words in 850 bytes. 0.012 more are each entry's length, which ranking needs, and 0.04 which entry it is. Found by "
        "`dbstat`; prose with longer words has less."),
    "search, the newest 20": (
        "The goal was measured with the index alone. A page of hits also reads each hit's entry, and cuts a snippet out of its "
        "text, which is half of the time; two fifths are SQLite's (`perf record`). FTS5 looks into each segment of the index: "
        "212 µs in the 19 that a million entries have, 59 in one that they were merged into. What else grows from 100,000 to "
        "1,000,000 is open."),
    "command: --version": START,
    "keepsake --version": START,
    "written for the index of a key": (
        "A key that is a random UUID falls anywhere in its index: to the leaf's page come the pages of leaves that are full and "
        "split, and the entry's row, which holds the key, too, is longer. To check: keys that ascend split only the last leaf."),
}

"""Why a goal of tools/bench is missed, where it is, in words that another engineer can check.

A reason is printed only where its goal is missed; one for a goal that is always met can go.
"""

ALONE = (
    "An append that is alone takes 15 to 30 µs more than in C. With a disk that answers at once, `fdatasync` made to do nothing by "
    "LD_PRELOAD, 35 to 45 µs are left of it and 22 to 32 of C's; the rest are caches that grew cold while it waited. It checks, "
    "pairs, hands out values, makes sure that the lock and the database are still in their places, and that nobody waited "
    "longer. No function of its own has more than a fiftieth (`perf record`).")

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

BATCH = (
    "By callgrind Keepsake takes about 70,000 instructions an entry and C 62,000, which is 0.88; and C encodes each body into the "
    "same KB and hands nothing back, while here all bodies, and all the entries that are handed out, are in memory at once. "
    "A list is made ready on its caller's thread while the writer's thread writes; how much that gives depends on what the "
    "second processor has to do. Eight runs of one build gave 0.86 to 1.37. To check: `tools/bench --only 'batch of'`, a few times.")

TURNS = (
    "From one wait for the disk to the next one a turn takes 0.1 ms longer than an append of one process alone, which with its slower "
    "sync takes 1.4: the next one has to wake, and reads again what the others changed. To check: `strace -f -T -e "
    "trace=flock,fdatasync` of one of the sixteen.")

START = (
    "The yardstick is `true`, a process that does nothing. Of the command's 515 page faults 284 are the dynamic "
    "linker's, which writes addresses into the pages of Swift's runtime and of Foundation, as a binary needs that may lie "
    "anywhere in memory; at a fixed address there are 242 fewer, and it is easier to attack, so it has none. To check: `perf stat "
    "-e page-faults,task-clock` of it, of `true` and of git.")

# The beginning of a row's name: the reason.
SHARED_APPEND = (
    "A store that shares tries a change in its folder, sends it, and keeps the transaction open until the hub has decided. Of the time of the "
    "processor that an append takes, a third is in trying the change and in reading and spelling what changed, an eighth in sending it, "
    "a fourteenth in beginning the transaction, as much in committing it, and a sixteenth each in receiving the answer and in writing the "
    "pages of the log, which is done while the server works (`perf record --call-graph dwarf`). No function has more than a twelfth.")

SHARED_TASKS = (
    "The server shares the two processors, which are busy (`vmstat`: 0 to 6 % idle). Sixteen connections in plain C reach about as many "
    "appends as our sixteen tasks, as the next row shows, and less than five times those of our one task.")

SHARED_PROCESSES = (
    "The two processors are busy with both (`vmstat`: 0 to 6 % idle), and are shared with the server. So the rows compare the work of "
    "an append on all sides. Keepsake writes each change to its folder, too; plain C keeps nothing.")

ONE_SESSION = (
    "The session goes from one process to the next. Each process asks for its turn and reads what the others wrote in one round trip, writes "
    "that to its folder, and commits in another round trip; it has to be woken for each. Meanwhile a third of the processors' time is idle "
    "(`vmstat`). One process alone needs one round trip for an append, and wakes nobody. Ten quick runs gave 0.27 to 0.31.")

FIRST_READ = (
    "Plain C copies the bytes, and looks at none. A store asks the server and receives the bytes in a third of the time, as C does, and reads "
    "what two fifths of the changes say meanwhile. To read the others on both processors takes a seventh, to join them a twentieth, to check "
    "the links and to write the rows three tenths, and to read the entries a fourteenth; the rest is in beginning, committing and handing on. "
    "To check: the times of the samples of `perf record -F 9000 -g` of the bench.")

MISSED = {
    "append by one task": SHARED_APPEND,
    "16 tasks with a session each, appends against one task's": SHARED_TASKS,
    "8 processes with a session each": SHARED_PROCESSES,
    "8 processes with one session": ONE_SESSION,
    "first read of 200 entries that are not here": FIRST_READ,
    "append, one per call": ALONE,
    "append p50 against the disk's floor": ALONE,
    "batch of 1000": BATCH,
    "16 tasks, p99": TAIL,
    "16 processes against 1": TURNS,
    "16 tasks against 1": TAIL,
    "put 1 KB": SMALL,
    "put 10 KB": SMALL,
    "put 50 KB": SMALL,
    "put 100 KB": SMALL,
    "put 1 MB": (
        "It differs most from run to run: 0.76 to 1.04 of C, as four waits for the disk are most of it. What Keepsake "
        "adds to writing, hashing and syncing is the same for 10 and 100 MB, where the goal is met."),
    "put 100 MB again": (
        "The yardstick hashes bytes that it has in memory; Keepsake reads them from a file. One thread reads and another one hashes, "
        "which takes the bytes from the first one's cache; one thread that did both would reach 0.80. So it needs two processors, and "
        "the yardstick one: 0.88 to 0.93 where both are free, 0.68 to 0.88 where two builds ran on them. To check: `perf "
        "record`, where what is not SHA-256 is the kernel's copying."),
    "reload 200 entries": VALUES,
    "reload the last 50": VALUES,
    "append while a reader": (
        "While a reader holds a snapshot the log can't begin anew. Its file is made longer by zeros ahead of the pages, 256 KiB at a "
        "time, which a twentieth of the commits waits for; before that each commit waited until the file system had noted "
        "the new length, 1.6 to 2 times as long as without a reader. To check: `strace -e pwrite64`."),
    "search catches up": (
        "The same build gives 1.25 to 1.4, where the yardstick is FTS5 alone. What is Keepsake's own is reading the entry, folding its "
        "text and cutting it into words, 4 to 6 µs; writing the index is SQLite's in both."),
    "on disk: the index of search": (
        "FTS5 takes a byte for each word's place and two for each different word of an entry: 0.38 of this material's bytes, which "
        "has 180 words in 850 bytes. 0.012 more are each entry's length, which ranking needs, and 0.04 which entry it is. Found by "
        "`dbstat`; prose with longer words has less."),
    "search, the newest 20": (
        "The goal, that of a million entries, was measured with the index alone. A page of hits also reads each hit's entry, and cuts a "
        "snippet out of its text, which is half of the time; two fifths are SQLite's (`perf record`), which looks into each segment of "
        "the index: 9 in one of 10,000 entries, 15 in one of a million."),
    "search, the best 20": (
        "The newest thousand hits are ranked, however many there are; but to rank one FTS5 first counts all the entries that have the "
        "word: a million in a store of ten million, at 25 ns each. The goal is that of a store of one million. To check: a word that "
        "fewer entries have."),
    "command: --version": START,
    "keepsake --version": START,
    "import: text, all new": (
        "More than half of it fills the index of search, which is FTS5's (see 'search catches up'); the yardstick writes nothing. Of "
        "52 MB the import took 1.4 s of a processor and the index 1.9 (`perf stat`)."),
    "command: append": (
        "The command starts as slowly as where it only says its version, and the yardstick is a small program in C. Both open a store "
        "and wait for the disk; Keepsake does so, too, for the store's own name in the folder above it. To check: `strace -f -c "
        "-e trace=fsync,fdatasync` of both."),
}

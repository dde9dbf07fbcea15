"""Why another one is ahead, where it is: a sentence that an engineer can check."""

START = (
    "A process that does next to nothing: what is compared is the command's start, which is dear to it, because its binary "
    "carries Swift's runtime and Foundation (`perf stat -e page-faults,task-clock` of both; most of it is the kernel mapping "
    "pages). The library, in a process that stays, does the same in microseconds.")
TWO = "The command does it in two processes: one appends the entry, one attaches the image."

# (contender, measure): reason. What a contender's missing syncs explain is found by itself (figures.py).
REASONS = {
    ("git", "list"): START, ("git", "search"): START, ("git", "reload"): START, ("fossil", "list"): START,
    ("fossil", "reload"): START, ("git", "attach"): TWO,
}

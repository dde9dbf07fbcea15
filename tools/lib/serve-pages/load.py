"""What a server costs while many listen."""

import http.client
import time

from reading import album

LISTENERS = 100
MEMORY_LIMIT = 80e6


def check_load(checks, stage, is_short):
    checks.title(f"{LISTENERS} who listen")
    store = stage.store("Load")
    session, _ = album(stage, store)
    server, other = stage.serve(store), stage.serve(store)
    open_streams = []
    for number in range(LISTENERS):
        one = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        one.request("GET", "/events" if number % 2 else f"/s/{session}/events",
                    headers={"Authorization": f"Bearer {server.token}"})
        answer = one.getresponse()
        answer.readline()
        open_streams.append((one, answer))
    for number in range(20):
        other.say(session, f"to all of them {number}")
    heard = sum(b"data:" in read_some(answer) for _, answer in open_streams)
    checks.expect(heard == LISTENERS, f"{heard} hear what happens")
    checks.expect(server.memory() < MEMORY_LIMIT, f"the server has {server.memory() / 1e6:.0f} MB")
    time.sleep(1)
    before = server.processor()
    time.sleep(3 if is_short else 10)
    used = server.processor() - before
    # A tick of the processor's clock is all that can be told apart from nothing.
    checks.expect(used <= 0.02, f"and takes {used * 1000:.0f} ms of the processor while nothing happens")
    for one, _ in open_streams:
        one.close()


def read_some(answer):
    found = b""
    while b"appended" not in found and b'"session"' not in found:
        line = answer.readline()
        if not line:
            break
        found += line
    return found

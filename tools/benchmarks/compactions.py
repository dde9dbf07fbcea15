#!/usr/bin/env python3
"""Writes a rollout of Codex whose compactions repeat all of its images, as long sessions with images have them.

    tools/benchmarks/compactions.py --repeats 50000 >rollout.jsonl
    tools/benchmarks/compactions.py --repeats 50000 --text 4096 >rollout.jsonl

Each image is made once, with an event that tells of it; each compaction repeats every image so far. The log is written as it is
made, a line at a time: 89 images of 285 KB that are repeated 50,000 times are 19 GB. What is unique of it, as JSON, goes to standard
error: the bytes of the images, and all bytes of the lines that are no base64, each counted once.
"""

import argparse
import base64
import json
import random
import struct
import sys

# Everyday words, the more frequent ones first; a text takes each about as often as people do.
WORDS = """the of and to a in is that it for as with was on be by this are or from at which not an have can you its were has one
    all but they there been more if when will would who so no out up into than them only some could time these two may then do any
    first like such new over our even most after also made many before must through way where how well because each those much
    state between work make people good very still world same day here long both part place while number used another against
    system right image light colour window shadow harbour lantern evening garden painter canvas outline corner background figure
    request change result follow keep remove replace describe compare finish notice larger smaller brighter darker version attempt
    file folder path error output script function library branch commit review test failure warning approach question answer
    decision summary remaining earlier later whether instead although already almost perhaps carefully quickly finally""".split()
WEIGHTS = [1 / (rank + 2) for rank in range(len(WORDS))]


class Log:
    def __init__(self, stream):
        self.stream = stream
        self.seconds = 0
        self.bytes = 0

    def line(self, kind, before, parts, after):
        """Writes a line whose payload is `before`, parts, and `after`; they are joined once, as a line may be large."""
        self.seconds += 1
        head = '{"timestamp":"2026-%02d-%02dT%02d:%02d:%02d.000Z","type":"%s","payload":' % (
            1 + self.seconds // 2419200, 1 + self.seconds // 86400 % 28, self.seconds // 3600 % 24,
            self.seconds // 60 % 60, self.seconds % 60, kind)
        line = b"".join([head.encode(), before.encode(), *parts, after.encode(), b"}\n"])
        self.stream.write(line)
        self.bytes += len(line)


def image(generator, size):
    """Bytes that can't be packed any further, as those of images, which say that they are 1,024 pixels wide and high."""
    head = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBBI", 13, b"IHDR", 1024, 1024, 8, 2, 0, 0, 0, 0)
    return head + generator.randbytes(size - len(head))


def prose(generator, size):
    words = generator.choices(WORDS, WEIGHTS, k=size)
    text = ""
    for index, word in enumerate(words):
        text += word.capitalize() if index % 14 == 0 else word
        text += ". " if index % 14 == 13 else " "
        if len(text) >= size:
            break
    return text[:size]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--images", type=int, default=89, help="how many images the log has (89)")
    parser.add_argument("--size", type=int, default=285_000, help="the bytes of each (285000)")
    parser.add_argument("--repeats", type=int, default=50_000, help="how often images are repeated, all together (50000)")
    parser.add_argument("--text", type=int, default=0, help="the bytes of the summary that each compaction has (0)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    generator = random.Random(options.seed)
    log = Log(sys.stdout.buffer)
    log.line("session_meta", '{"id":"%032x"' % generator.getrandbits(128), [b',"cwd":"/home/alice"'], ',"cli_version":"0.60.1"}')
    spelled, history, bytes_of_images = 0, [], 0
    for number in range(options.images):
        data = image(generator, options.size)
        text = base64.b64encode(data)
        bytes_of_images += len(data)
        call = '{"type":"image_generation_call","id":"ig_%d","status":"completed","result":"' % number
        log.line("response_item", call, [text], '","output_format":"png"}')
        event = '{"type":"image_generation_end","call_id":"ig_%d","status":"completed","result":"' % number
        log.line("event_msg", event, [text], '"}')
        spelled += 2 * len(text)
        history += [
            b"," if history else b"",
            b'{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,',
            text, b'"}]}']
    compactions = -(-options.repeats // options.images)
    size_of_history = sum(len(part) for part in history[2::4])
    for _ in range(compactions):
        summary = json.dumps(prose(generator, options.text))
        log.line("compacted", '{"message":%s,"replacement_history":[' % summary, history, "]}")
        spelled += size_of_history
    sys.stdout.buffer.flush()
    json.dump({
        "bytes": log.bytes, "repeats": compactions * options.images, "images": bytes_of_images, "text": log.bytes - spelled,
        "unique": bytes_of_images + log.bytes - spelled}, sys.stderr)
    print(file=sys.stderr)


if __name__ == "__main__":
    main()

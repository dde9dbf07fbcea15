"""Sessions that are made into pages: hostile ones, long ones, and such as people have."""

import json
import math
import os
import struct
import subprocess
import sys
import time
import wave
import zlib

DEADLINE = 600


class Session:
    """A session in a store of its own, filled by the command as anybody would fill it."""

    def __init__(self, keepsake, folder, title):
        self.keepsake, self.store, self.folder = keepsake, folder / "Pages.keepsake", folder
        self.run("new", title)
        self.count = 0

    def run(self, *arguments, text=None):
        done = subprocess.run(
            [self.keepsake, "--store", str(self.store), *arguments], input=text,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=DEADLINE)
        if done.returncode:
            sys.exit(f"tools/pages: keepsake {arguments[0]}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def append(self, *entries):
        """Entries as 'show --json' has them."""
        self.run("append", "last", text="".join(json.dumps(each) + "\n" for each in entries).encode())
        self.count += len(entries)

    def say(self, kind, *texts):
        self.append(*[{"kind": kind, "segments": [{"type": "text", "text": text}]} for text in texts])

    def attach(self, name, content, *options, at=None):
        path = self.folder / f"file-{time.monotonic_ns()}"
        path.mkdir()
        file = path / name
        file.write_bytes(content)
        self.run("attach", "last", str(file), "--entry", str(self.count - 1 if at is None else at), *options)

    def page(self, name):
        path = self.folder / name
        self.run("export", "last", "--format", "html", "-o", str(path))
        return path


def png(width, height, colour, say=None):
    """A picture that is a picture; `say` overrides the size that its header tells."""
    row = b"\0" + bytes(colour) * width
    header = struct.pack(">IIBBBBB", *(say or (width, height)), 8, 2, 0, 0, 0)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b""))


def sound(folder):
    path = folder / "tone.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(
            struct.pack("<h", int(9000 * math.sin(index / 3))) for index in range(8000)))
    return path.read_bytes()


def hostile(session, canary):
    """What A1–A16 of the attack list put into a session."""
    script = f"<script>document.title='run';alert(1);fetch('{canary}/script')</script>"
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=\'run\'">{script}'
           f'<image href="{canary}/svg"/><foreignObject><iframe src="{canary}/frame"/></foreignObject></svg>')
    page = (f'<!DOCTYPE html>{script}<meta http-equiv="refresh" content="0;url={canary}/refresh">'
            f'<form action="{canary}/form"><img src="{canary}/img"></form>')
    texts = [
        script, svg, page, f"<img src=x onerror=document.title='run'>", f"<svg/onload=document.title='run'>",
        f"![]({canary}/markdown) [![x]({canary}/linked)]({canary}/link) ![x][1]\n\n[1]: {canary}/reference",
        f"<style>@import '{canary}/import';*{{background:url({canary}/css)}}</style>",
        f'<link rel=prefetch href="{canary}/prefetch"><link rel=icon href="{canary}/icon"><base href="{canary}/">',
        f'<video poster="{canary}/poster" src="{canary}/video" autoplay></video><object data="{canary}/object">',
        "[x](javascript:document.title='run') [y](data:text/html,<script>alert(1)</script>) [z](vbscript:x)",
        f"{canary}/bare https://[::1]:1/ <https://a.b/\"onmouseover=document.title='run'>",
        "</div></article></main><h1>gone</h1>", "<!--", "<![CDATA[", "<plaintext>", "<textarea>", "<title>",
        "{{constructor.constructor('alert(1)')()}}", "photo\u202egnp.exe \u200b\u2066 \u001b[2J",
        ">" * 10_000, "- " * 5000, "a\n" * 100_000, "x" * 3_000_000, "![[]()" * 5000,
        "|a" * 1000 + "\n" + "|-" * 1000 + "\n" + "|a\n" * 5000,
    ]
    for kind in ("prompt", "response", "instructions", "reasoning", "toolOutput", "event"):
        session.say(kind, *(texts if kind == "response" else texts[:12]))
    session.say("response", *[
        f"```{language}\n</code></pre>{script} \" ' ` /* # <!-- ${{x}} +{page}\n-{svg}\n```"
        for language in ("html", "swift", "js", "json", "bash", "sql", "css", "yaml", "diff")])
    session.append({"kind": "toolCalls", "toolCalls": [
        {"id": "c", "tool": script, "arguments": json.dumps({script: [svg, {page: f"a\n{script}\u202e"}]})}]})
    session.say("prompt", "files")
    for name, content, declared in [
        ("a.svg", svg.encode(), "image/svg+xml"), ("b.png", svg.encode(), "image/png"),
        ("c.html", page.encode(), "text/html"), ("d.png", page.encode(), "image/png"),
        ("e.gif", b"GIF89a\1\0\1\0/*" + page.encode() + b"*/", "text/html"), ("f.xml", page.encode(), "text/xml"),
        ("g.pdf", b"%PDF-1.7\n" + page.encode() + b"\n%%EOF", "application/pdf"),
        ("h.vtt", b"WEBVTT\n\n00:00.000 --> 00:01.000\n" + script.encode(), "text/vtt"),
        ("i\u202egnp.exe", b"MZ" + bytes(100), "image/png"), ("bomb.png", png(1, 1, b"abc", (30000, 30000)), "image/png"),
        ("wrong.wav", sound(session.folder)[:500], "audio/wav"), ("fine.png", png(40, 30, b"\x20\x80\xd0"), "image/png"),
    ]:
        session.attach(name, content, "--type", declared, "--caption", script)
    return session.page("hostile.html")


def long(session):
    """2,000 entries and 200 images."""
    side = 480
    session.append(*[
        {"kind": "prompt" if number % 2 == 0 else "response", "segments": [{"type": "text", "text": (
            f"## Part {number}\n\nSome *prose* with `code`, and a list:\n\n- one\n- two\n\n"
            "| a | b |\n|--|--|\n| 1 | 2 |\n\n```swift\nlet a = 1\n```\n" + "More of it. " * 40)}]}
        for number in range(2000)])
    for number in range(0, 2000, 10):
        # As large as pictures are: what follows the image is of no matter to it.
        noise = os.urandom(3 * side * 40)
        session.attach("image.png", png(side, 360, noise[:3]) + noise, "--caption", f"image of {number}", at=number)
    return session.page("long.html")


def talk(session):
    """A conversation as people have it, with one of everything that a page draws."""
    session.say("instructions", "You are a careful cook.\n\n- Use metric units")
    session.say("prompt", "What can I bake of **three bananas**?")
    session.say("reasoning", "A cake takes three.")
    session.say("response", (
        "A cake. For one tin:\n\n| Ingredient | Amount | In the tin | Why it is there | Can be left out | Note |\n"
        "|---|--:|:-:|---|---|---|\n| Bananas | 3 | ✓ | sweetness and water | no | the browner the better |\n\n"
        "1. Mash them.\n2. Add `flour`.\n\n> Wait ten minutes.\n\n"
        "```swift\n// Scales a recipe.\nlet grams: Double = 250 * factor\nprint(\"\\(grams) g\")\n```\n\n"
        "```\na line without a language that is so long that no phone shows all of it at once, and no tablet either\n```\n\n"
        "```diff\n-let a = 1\n+let a = 2\n```\n\nSee https://example.org/cakes."))
    session.say("prompt", "Draw it, and a slice of it.")
    session.append({"kind": "toolCalls", "toolCalls": [
        {"id": "c1", "tool": "GenerateImage", "arguments": json.dumps({
            "prompt": "a banana cake", "size": {"width": 512, "height": 512}, "note": "one\ntwo"})},
        {"id": "c2", "tool": "Bash", "arguments": json.dumps({"command": "ls cakes"})}]})
    session.append({"kind": "toolOutput", "callID": "c1", "tool": "GenerateImage", "segments": [
        {"type": "text", "text": json.dumps({"images": ["image_1", "image_2"], "took": 12.5})}]})
    session.attach("cake.png", png(512, 512, b"\x20\x80\xd0"), "--caption", "the cake")
    session.attach("slice.png", png(300, 600, b"\xd0\x80\x20"), "--caption", "a slice")
    session.append({"kind": "toolOutput", "callID": "c2", "tool": "Bash", "segments": [
        {"type": "text", "text": "".join(f"{number:6} cakes/{number}.json\n" for number in range(20_000))}]})
    session.say("response", "Here is the cake ![](image_1) and a slice ![](image_2) of it.")
    session.say("prompt", "اكتب لي الوصفة بالعربية من فضلك")
    session.say("response", (
        "هذه هي الوصفة:\n\n1. اخلط 500 ml من الحليب\n2. 500 ml ماء دافئ\n3. اخبز على 180 °C\n\n"
        "- نقطة\n\n| المكوّن | الكمية |\n|---|--:|\n| موز | 3 |\n"))
    session.say("event", "The app saved the recipe.")
    session.attach("notes.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "--type", "image/svg+xml")
    session.attach("tone.wav", sound(session.folder), "--type", "audio/wav", "--caption", "the bell")
    return session.page("talk.html")

#!/usr/bin/env python3
"""Verifies the chains of a store, independently of Keepsake's own code: see Documentation/Digest.md.

tools/verify-chain.py Chats.keepsake prints the head of each session, and exits with 0 if all is well, with 2 if not."""
import hashlib, json, pathlib, sqlite3, struct, sys, uuid

APPEND, ATTACH, REVISE, ERASE, BIND, INVOKE, CONCLUDE, SETTLE = 1, 2, 3, 5, 7, 8, 9, 10
ENTRY = "uuid kind created status visibility turn key lane author model call_entry call_ordinal".split()
TABLES = {  # in the order of their digests; what names a row by a number of this store stands for what that row is
    "attachment": (ATTACH, """entry segment pointer range_start range_end turn created artifact_digest state direction maker basis
        invocation_id call_id call_entry call_ordinal tool label declared_label media_type file_name captions reference inputs
        salt""", """SELECT x.*, x.entry AS hangs, f.digest AS artifact_digest, i.id AS invocation_id, i.session AS owner FROM
        attachment AS x LEFT JOIN artifact AS f ON f.number = x.artifact LEFT JOIN invocation AS i ON i.number = x.invocation"""),
    "invocation": (INVOKE, """id turn maker name implementation version model parameters arguments started ended outcome detail
        output call_id call_entry call_ordinal basis salt""", "SELECT x.*, NULL AS hangs, NULL AS owner FROM invocation AS x")}
Text = type("Text", (bytes,), {})  # a column of text: its canonical bytes are not those of a blob
faults, heads = [], {}
def check(truth, *what):
    if not truth: faults.append(" ".join(map(str, what)))
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def canonical(domain, columns):
    return sha(domain.encode(), *(b"\0" if c is None else b"\1" + struct.pack(">q", c) if isinstance(c, int) else
               (b"\2" if isinstance(c, Text) else b"\3") + struct.pack(">q", len(c)) + c for c in columns))
def at(entry): return None if entry is None else entry & 0xFFFFFF
def owned(s, entry):  # whether the session that an entry's number names owns that position, as seen from session s
    while entry is not None and s["parent"] is not None and at(entry) < s["fork_position"]: s = sessions[s["parent"]]
    return entry is None or entry >> 24 == s["number"]
def content(e, status, revised, salt, body):
    check(len(salt) == 16, "salt of entry", at(e["id"]))
    columns = [at(e[c]) if c == "call_entry" else status if c == "status" else e[c] for c in ENTRY]
    return canonical("keepsake.entry.1", columns + [sha(salt, body), revised])

def entries(s, links, archive):
    revisions, erased, position = {}, set(), s["fork_position"] or 0
    for e in rows("SELECT * FROM entry WHERE id BETWEEN ?1 << 24 AND (?1 << 24) + 16777215 ORDER BY id", s["number"]):
        name, replaced = f"entry {at(e['id'])}", None
        check(at(e["id"]) == position, "positions before", name)
        position += 1
        for n, r in enumerate(rows("SELECT * FROM revision WHERE entry = ? ORDER BY number", e["id"]), 1):
            check(r["number"] == n and r["change"] < e["change"], "order of revisions of", name)
            check(r["digest"] == content(e, r["status"], replaced, r["salt"], r["body"]) if r["body"] is not None
                  else r["salt"] is None, "revision", n, "of", name)
            replaced, revisions[r["change"]] = r["replaced"], (r["operation"], at(e["id"]), r["digest"])
        links.append((e["change"], e["operation"], at(e["id"]), e["digest"], "entry"))
        if e["body"] is None and e["salt"] is None and e["operation"] == ERASE: erased.add(at(e["id"]))
        if at(e["id"]) in erased: continue
        check(e["digest"] == content(e, e["status"], replaced, e["salt"], e["body"]), "digest of", name)
        body = json.loads(e["body"])
        said = [(n, c["id"].encode(), c["tool"].encode()) for n, c in enumerate(body.get("toolCalls", []))]
        calls = rows("SELECT ordinal, call_id, tool FROM tool_call WHERE entry = ? ORDER BY ordinal", e["id"])
        check([tuple(c) for c in calls] == said, "tool calls of", name)
        call = list(rows("SELECT call_id FROM tool_call WHERE entry = ? AND ordinal = ?", e["call_entry"], e["call_ordinal"]))
        check(owned(s, e["call_entry"]) and (not call or call[0][0] == body["callID"].encode()), "call of", name)
    check(s["entries"] == position or s["state"] == 2, "number of entries")
    check(all(archive.get(k) == v for k, v in revisions.items()), "revisions against changes")
    check(all(k in revisions or v[1] in erased for k, v in archive.items() if v[0] in (APPEND, REVISE)), "missing revisions")

def recorded(s, links, archive, table):  # attachments, or invocations
    first, columns, query = TABLES[table]
    found = list(rows(query + " WHERE x.session = ? ORDER BY x.number", s["number"]))
    begun = sorted([k for k, v in archive.items() if v[0] == first] + [x["change"] for x in found if x["operation"] == first])
    check(len(begun) == len(found), "number of rows of", table)
    for x, k in zip(found, begun):
        values = [at(x[c]) if c in ("entry", "call_entry") else x[c] for c in columns.split()]
        check(x["digest"] == canonical(f"keepsake.{table}.1", values) or x["salt"] is None and x["operation"] == ERASE, table, k)
        check(x["change"] == k if x["operation"] == first else x["change"] > k, "order of", table, k)
        check(owned(s, x["call_entry"]) and owned(s, x["hangs"]) and x["owner"] in (None, s["number"]), "links of", table, k)
        links.append((x["change"], x["operation"], -1 if x["hangs"] is None else at(x["hangs"]), x["digest"], table))

def verify(s):
    archive = {c[0]: tuple(c[1:]) for c in rows("SELECT number, operation, position, digest FROM change WHERE session = ?", s["number"])}
    links, newer, closed = [], [], 0
    fork = [s["fork_position"], s["fork_change"], s["fork_head"]] if s["parent"] is not None else []
    heads[s["number"]] = own = [canonical("keepsake.fork.1" if fork else "keepsake.session.1", [s["id"], s["created"]] + fork)]
    entries(s, links, archive)
    for table in TABLES: recorded(s, links, archive, table)
    links = sorted(links + [(k, *v, "change") for k, v in archive.items()])
    for k, operation, position, digest, _ in links:
        own.append(sha(b"keepsake.link.1", own[-1], struct.pack(">qqq", k, operation, position), digest))
    check([link[0] for link in links] == list(range(1, s["changes"] + 1)) and own[-1] == s["head"] or s["state"] == 2, "head")
    for k, operation, position, _, origin in reversed(links):  # a link that no row holds has a later one of the same row
        if origin in TABLES and operation != TABLES[origin][0]: newer.append(position)
        if origin == "change" and operation in (ATTACH, INVOKE, BIND, CONCLUDE, SETTLE):
            check(closed < len(newer) and (position == -1 or position in newer), "what was put back to before change", k)
            closed += operation in (ATTACH, INVOKE)

def rows(sql, *values): return db.execute(sql, values)
db = sqlite3.connect((pathlib.Path(sys.argv[1]).resolve() / "store.sqlite").as_uri() + "?mode=ro", uri=True)
db.row_factory, db.text_factory = sqlite3.Row, Text
rows("BEGIN")
sessions = {s["number"]: s for s in rows("SELECT * FROM session ORDER BY id")}
for s in sessions.values():
    before = len(faults)
    try: verify(s)
    except Exception as error: faults.append(f"{type(error).__name__}: {error}")
    faults[before:] = [f"session {uuid.UUID(bytes=s['id'])}: {fault}" for fault in faults[before:]]
    print(uuid.UUID(bytes=s["id"]), s["changes"], s["head"].hex())
for s in sessions.values():
    if s["parent"] is not None and sessions.get(s["parent"], {"state": 0})["state"] != 2:
        check(heads.get(s["parent"], [])[s["fork_change"]:][:1] == [s["fork_head"]], "fork", uuid.UUID(bytes=s["id"]))
check(not list(rows("PRAGMA foreign_key_check")), "references to rows that are not there")
print(*faults, sep="\n", end="\n" * bool(faults), file=sys.stderr)
sys.exit(2 if faults else 0)

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
Text, faults, heads = type("Text", (bytes,), {}), [], {}  # Text: the canonical bytes of text are not those of a blob
def check(truth, *what):
    if not truth: faults.append(" ".join(map(str, (about, *what))))
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def canonical(domain, columns):
    return sha(domain.encode(), *(b"\0" if c is None else b"\1" + struct.pack(">q", c) if isinstance(c, int) else
               (b"\2" if isinstance(c, Text) else b"\3") + struct.pack(">q", len(c)) + c for c in columns))
def at(entry): return None if entry is None else entry & 0xFFFFFF
def owned(s, entry):  # whether the session that an entry's number names owns that position, as seen from session s
    while entry is not None and s["parent"] is not None and at(entry) < s["fork_position"]: s = sessions[s["parent"]]
    return entry is None or entry >> 24 == s["number"]
def content(e, status, revised, salt, body):
    check(len(salt or b"") == 16 and body is not None, "content of entry", at(e["id"]))
    columns = [at(e[c]) if c == "call_entry" else status if c == "status" else e[c] for c in ENTRY]
    return canonical("keepsake.entry.1", columns + [sha(salt or b"", body or b""), revised])
def entries(s, links, archive):
    revisions, erased, position = {}, set(), s["fork_position"] or 0
    for e in rows("SELECT * FROM entry WHERE id BETWEEN ?1 << 24 AND (?1 << 24) + 16777215 ORDER BY id", s["number"]):
        name, replaced, position = f"entry {at(e['id'])}", None, position + 1
        check(at(e["id"]) == position - 1, "positions before", name)
        for n, r in enumerate(rows("SELECT * FROM revision WHERE entry = ? ORDER BY number", e["id"]), 1):
            check(r["number"] == n and r["change"] < e["change"], "order of revisions of", name)
            check(r["body"] is None and r["salt"] is None or
                  r["digest"] == content(e, r["status"], replaced, r["salt"], r["body"]), "revision", n, "of", name)
            replaced, revisions[r["change"]] = r["replaced"], (r["operation"], at(e["id"]), r["digest"])
        links.append((e["change"], e["operation"], at(e["id"]), e["digest"], "entry"))
        if e["body"] is None and e["salt"] is None and e["operation"] == ERASE:
            erased.add(at(e["id"]))
            continue
        check(e["digest"] == content(e, e["status"], replaced, e["salt"], e["body"]), "digest of", name)
        body = json.loads(e["body"] or "{}")
        said = [(n, c["id"].encode(), c["tool"].encode()) for n, c in enumerate(body.get("toolCalls", []))]
        calls = list(map(tuple, rows("SELECT ordinal, call_id, tool FROM tool_call WHERE entry = ? ORDER BY ordinal", e["id"])))
        check(calls == said, "tool calls of", name)
        call = list(rows("SELECT call_id FROM tool_call WHERE entry = ? AND ordinal = ?", e["call_entry"], e["call_ordinal"]))
        check(owned(s, e["call_entry"]) and (not call or call[0][0] == body["callID"].encode()), "call of", name)
    check(s["entries"] == position or s["state"] == 2, "number of entries")
    earlier = {k: v for k, v in archive.items() if k in revisions or v[0] in (APPEND, REVISE) and v[1] not in erased}
    check(earlier == revisions, "earlier contents against changes")
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
    old = "SELECT number, operation, position, digest FROM change WHERE session = ?"
    archive = {c[0]: tuple(c[1:]) for c in rows(old, s["number"])}
    fork = [s["fork_position"], s["fork_change"], s["fork_head"]] if s["parent"] is not None else []
    heads[s["number"]] = own = [canonical("keepsake.fork.1" if fork else "keepsake.session.1", [s["id"], s["created"]] + fork)]
    entries(s, links := [], archive)
    for table in TABLES: recorded(s, links, archive, table)
    links = sorted(links + [(k, *v, "change") for k, v in archive.items()])
    for k, operation, position, digest, _ in links:
        own.append(sha(b"keepsake.link.1", own[-1], struct.pack(">qqq", k, operation, position), digest))
    check([link[0] for link in links] == list(range(1, s["changes"] + 1)) and own[-1] == s["head"] or s["state"] == 2, "head")
    newer, owners = set(), {ATTACH: 0, SETTLE: 0, INVOKE: 1, CONCLUDE: 1, BIND: 2}  # 2: an attachment's or an invocation's
    for k, operation, position, _, origin in reversed(links):  # a link that no row holds has a later one of the same row
        if origin in TABLES and operation != TABLES[origin][0]:
            newer |= {(owner, p) for owner in (list(TABLES).index(origin), 2) for p in (position, -1)}
        check(origin != "change" or operation not in owners or (owners[operation], position) in newer, "put back before", k)
if len(sys.argv) != 2: sys.exit(__doc__)
def rows(sql, *values): return db.execute(sql, values)
db = sqlite3.connect((pathlib.Path(sys.argv[1]).resolve() / "store.sqlite").as_uri() + "?mode=ro", uri=True)
db.row_factory, db.text_factory = sqlite3.Row, Text
rows("BEGIN")  # one snapshot
sessions = {s["number"]: s for s in rows("SELECT * FROM session ORDER BY id")}
for s in sessions.values():
    about = f"session {uuid.UUID(bytes=s['id'])}:"
    try: verify(s)
    except Exception as error: check(False, type(error).__name__, error)
    print(uuid.UUID(bytes=s["id"]), s["changes"], s["head"].hex())
about = "the store:"
for s in sessions.values():
    if s["parent"] is not None and sessions.get(s["parent"], {"state": 0})["state"] != 2:
        check(heads.get(s["parent"], [])[s["fork_change"]:][:1] == [s["fork_head"]], "fork", uuid.UUID(bytes=s["id"]))
check(not list(rows("PRAGMA foreign_key_check")), "references to rows that are not there")
print(*faults, sep="\n", end="\n" * bool(faults), file=sys.stderr)
sys.exit(2 if faults else 0)

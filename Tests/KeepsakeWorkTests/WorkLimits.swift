/// The most that everyday work may cost. Counts of a run stand here with little room above: what a page's layout or the heap
/// may vary by. A change that needs more is to say why in its commit; one that needs less lowers the limit.
enum WorkLimits {
  static let all: [WorkLimit] = [
    // Whether the store joined a hub, which each transaction asks; the session, its turn, the entry, the queue of search, the
    // session again; one page of the entry's, one of the session's.
    WorkLimit(
      work: "append", statements: 9, instructions: 175, loggedPages: 3, syncs: 1,
      writes: 1, writtenBytes: 13_000, allocations: (debug: 60, release: 38)),
    // The bytes are a row: three pages, in the one transaction with the one sync. The rest are rows
    // of artifact, attachment, and their indexes.
    WorkLimit(
      work: "append with 10 KB", statements: 13, instructions: 370, loggedPages: 14, syncs: 1,
      writes: 1, writtenBytes: 58_000, allocations: (debug: 310, release: 77)),
    // A file: its sync, its folder's and the new folder's come before the commit's.
    WorkLimit(
      work: "append with 300 KB", statements: 15, instructions: 415, loggedPages: 10, syncs: 4,
      writes: 3, writtenBytes: 342_000, allocations: (debug: 480, release: 206)),
    // Each file's sync; those of the folders that they are in, which are all new here, and of the one that holds these;
    // the commit's.
    WorkLimit(
      work: "append with 20 of 200 KB", statements: 208, instructions: 6830, loggedPages: 14,
      syncs: 42, writes: 30, writtenBytes: 4_060_000, allocations: (debug: 6_480, release: 1_870)),
    // Nothing of the artifact is written again: rows of the attachment only.
    WorkLimit(
      work: "attach 300 KB that are known", statements: 15, instructions: 365, loggedPages: 6,
      syncs: 1, writes: 1, writtenBytes: 25_000, allocations: (debug: 131, release: 90)),
    // One transaction, one sync; a statement and a row for each, and a look whether the block of keys that ends has any.
    WorkLimit(
      work: "append 100 entries", statements: 108, instructions: 5130, loggedPages: 31, syncs: 1,
      writes: 1, writtenBytes: 132_000, allocations: (debug: 4_100, release: 1_290)),
    // As without keys, and two looks for each: into the index, and at the entries behind it. The sixteenth brings all
    // the keys into the index, which are few of its pages.
    WorkLimit(
      work: "append 16 entries with keys, one by one", statements: 176, instructions: 4216,
      loggedPages: 43, syncs: 16, writes: 16, writtenBytes: 178_000,
      allocations: (debug: 1_210, release: 730)),
    // What is known is told by a digest; written is what is new.
    WorkLimit(
      work: "save 100 entries and a new one", statements: 17, instructions: 315, loggedPages: 5,
      syncs: 1, writes: 1, writtenBytes: 21_000, allocations: (debug: 2_820, release: 559)),
    // Five statements however many entries: two of the transaction, one for the session, one for
    // the entries, one for what is attached.
    WorkLimit(
      work: "reload 200 entries", statements: 5, instructions: 3793,
      allocations: (debug: 463, release: 458)),
    // No statement more, however many images: they come with what is attached, and their bytes when somebody asks.
    WorkLimit(
      work: "reload 200 entries with 20 images", statements: 5, instructions: 4960,
      allocations: (debug: 750, release: 527)),
    // As a reload, of a range.
    WorkLimit(
      work: "the last 50 entries", statements: 5, instructions: 988,
      allocations: (debug: 132, release: 128)),
    // The index of sessions by time gives them in order: it counts as read from its beginning, for
    // as many rows as the page has. A statement for the tags of each.
    WorkLimit(
      work: "a page of 50 sessions", statements: 54, instructions: 2038, scannedRows: 50,
      allocations: (debug: 240, release: 130)),
    // One statement finds the hits with their texts. However many sessions there are, none is
    // looked at that has no hit.
    WorkLimit(
      work: "a page of hits", statements: 11, instructions: 890,
      allocations: (debug: 12_100, release: 740)),
    // From the attachment to its link, its call, its prompt and its session: each by an index. Whether turns overlap is
    // looked at once.
    WorkLimit(
      work: "audit an artifact", statements: 30, instructions: 436,
      allocations: (debug: 129, release: 115)),
    // From memory: that nobody committed anything since is seen without SQLite.
    WorkLimit(
      work: "read an artifact again", statements: 0, instructions: 0,
      allocations: (debug: 1, release: 1)),
    // Its row, and no transaction around it.
    WorkLimit(
      work: "read one of more artifacts than are kept", statements: 1, instructions: 8,
      allocations: (debug: 8, release: 7)),
    // The newest first, from the index by tool: no more rows than the page has.
    WorkLimit(
      work: "audit a page of a tool's artifacts", statements: 5, instructions: 804,
      allocations: (debug: 89, release: 62)),
    // Entries, their verbatim source and its artifacts, in a few transactions; the last one shows
    // the session, and remembers how the file stands: a row, its index, a look for it before, and where its reading ended.
    // The store is new, so that each statement is prepared as well.
    WorkLimit(
      work: "import a transcript", statements: 98, instructions: 2850, loggedPages: 32, syncs: 4,
      writes: 3, writtenBytes: 132_000, allocations: (debug: 22_400, release: 5_300)),
  ]
}

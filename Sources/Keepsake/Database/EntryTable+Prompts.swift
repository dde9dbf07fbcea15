import KeepsakeSQLite

extension EntryTable {
  /// Finds the positions of the newest prompts in a range, the newest first.
  func newestPrompts(in range: ClosedRange<EntryID>, atMost count: Int) throws -> [Int] {
    let find = try db.prepare(
      "SELECT id FROM entry WHERE id BETWEEN ? AND ? AND kind = ? ORDER BY id DESC LIMIT ?")
    find.bind(range)
    find.bind(Entry.Kind.prompt.code)
    find.bind(count)
    var positions: [Int] = []
    while try find.step() { positions.append(find.entryID().position) }
    return positions
  }

  /// Finds the first prompt in a range that was not erased, and that a program did not write to the model.
  func firstPrompt(in range: ClosedRange<EntryID>) throws -> EntryID? {
    let find = try db.prepare(
      """
      SELECT id FROM entry WHERE id BETWEEN ? AND ? AND kind = ? AND visibility <> ?
        AND body IS NOT NULL
      ORDER BY id LIMIT 1
      """)
    find.bind(range)
    find.bind(Entry.Kind.prompt.code)
    find.bind(Entry.Visibility.model.code)
    return try find.step() ? find.entryID() : nil
  }

  /// Tells whether a prompt in a range was erased.
  func hasErasedPrompt(in range: ClosedRange<EntryID>) throws -> Bool {
    let find = try db.prepare(
      "SELECT 1 FROM entry WHERE id BETWEEN ? AND ? AND kind = ? AND body IS NULL LIMIT 1")
    find.bind(range)
    find.bind(Entry.Kind.prompt.code)
    return try find.step()
  }

  /// Finds the model of the last response in a range that names a model.
  func lastModel(in range: ClosedRange<EntryID>) throws -> String? {
    let find = try db.prepare(
      """
      SELECT model FROM entry WHERE id BETWEEN ? AND ? AND kind = ? AND model IS NOT NULL
      ORDER BY id DESC LIMIT 1
      """)
    find.bind(range)
    find.bind(Entry.Kind.response.code)
    return try find.step() ? find.text() : nil
  }
}

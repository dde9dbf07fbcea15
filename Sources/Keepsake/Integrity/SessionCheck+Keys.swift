import KeepsakeSQLite

extension SessionCheck {
  /// Whether the index of keys has the key of an entry, if it has one: it must once the entry's block is full.
  mutating func checkKey(of row: borrowing Statement, _ report: inout VerifyReport) throws {
    let entry = row.entryID(1)
    if !row.isNull(8) {
      if try EntryKeys.contains(entry, with: row.span(8), in: db) {
        indexedKeys += 1
      } else {
        missingKeys.append(entry.position)
      }
    }
    guard EntryKeys.fillsBlock(entry) else { return }
    for position in missingKeys {
      report.derived(name(position), "The index of keys does not have its key.")
    }
    missingKeys = []
  }

  /// Whether the index has more than the session's keys.
  func checkIndexedKeys(_ report: inout VerifyReport) throws {
    let count = try db.prepare("SELECT count(*) FROM entry_key WHERE session = ?")
    count.bind(number)
    let strays = try count.step() ? count.int() - indexedKeys : 0
    if strays > 0 {
      report.derived(name, "The index of keys has \(strays) more than its entries.")
    }
  }
}

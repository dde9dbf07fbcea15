extension SessionCheck {
  /// Reports an entry whose key the index of keys lacks: it must have the key once the entry's block is full.
  mutating func checkKey(of row: borrowing CheckedEntries, _ report: inout VerifyReport) throws {
    let entry = row.id
    if row.hasKey {
      if try row.hasIndexedKey() {
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

  /// Reports keys in the index that are not the session's.
  func checkIndexedKeys(_ report: inout VerifyReport) throws {
    let strays = try db.checks.indexedKeys(of: number).map { $0 - indexedKeys } ?? 0
    if strays > 0 {
      report.derived(name, "The index of keys has \(strays) more than its entries.")
    }
  }
}

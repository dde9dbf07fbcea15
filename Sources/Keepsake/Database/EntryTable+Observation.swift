#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension EntryTable {
  /// Finds the entry that has a UUID, among some entries.
  func id(of uuid: UUID, in ids: ClosedRange<EntryID>) throws -> EntryID? {
    let find = try db.prepare("SELECT id FROM entry WHERE id BETWEEN ? AND ? AND uuid = ?")
    find.bind(ids)
    find.bind(uuid.bytes)
    return try find.step() ? find.entryID() : nil
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

extension Session {
  /// The session that a row of another table names by its number.
  init(number: Int64, core: StoreCore, in db: Connection) throws {
    let find = try db.prepare("SELECT id FROM session WHERE number = ?")
    find.bind(number)
    guard try find.step(), let id = UUID(bytes: find.bytes()) else {
      throw KeepsakeError(
        .damaged, "Session number \(number) has lost its identifier.", remedy: .verify)
    }
    find.reset()
    self.init(id: id, number: number, lineage: try Lineage(of: number, in: db), core: core)
  }
}

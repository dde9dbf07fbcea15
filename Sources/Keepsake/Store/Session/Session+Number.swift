#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Session {
  /// Loads the session that a row of another table names by its number.
  init(number: Int64, handle: StoreHandle, in db: Tables) throws {
    guard let id = try db.sessions.id(of: number) else {
      throw KeepsakeError.lostIdentifier(ofSession: number)
    }
    try self.init(id: id, number: number, handle: handle, in: db)
  }

  /// Loads the session for an id and a number that were read together.
  init(id: UUID, number: Int64, handle: StoreHandle, in db: Tables) throws {
    self.init(id: id, number: number, lineage: try Lineage(of: number, in: db), handle: handle)
  }
}

extension KeepsakeError {
  /// Makes the error for a session whose row is missing, or has no id.
  static func lostIdentifier(ofSession number: Int64) -> KeepsakeError {
    KeepsakeError(
      .damaged, "Session number \(number) has lost its identifier.", remedy: .verify)
  }
}

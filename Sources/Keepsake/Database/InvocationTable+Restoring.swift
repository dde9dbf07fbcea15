import KeepsakeSQLite

extension InvocationTable {
  /// Finds the number of an invocation of a session by the bytes of its id.
  func number(of id: [UInt8], in session: Int64) throws -> Int64? {
    let find = try db.prepare("SELECT number FROM invocation WHERE id = ? AND session = ?")
    find.bind(id)
    find.bind(session)
    return try find.step() ? find.int64() : nil
  }
}

/// The arithmetic of ids in SQL that is composed at run time. A statement that is one literal gets ``maximumPosition``
/// or ``positionBits`` as a parameter.
extension EntryID {
  /// The position in an id.
  static func position(of id: String) -> String { "(\(id) & \(maximumPosition))" }

  /// The number of the session in an id.
  static func session(of id: String) -> String { "(\(id) >> \(positionBits))" }

  /// The id that is made from the number of a session and a position.
  static func id(of session: String, at position: String) -> String {
    "((\(session) << \(positionBits)) + \(position))"
  }
}

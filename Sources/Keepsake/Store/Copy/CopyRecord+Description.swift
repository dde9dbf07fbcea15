/// The tags and the metadata in a session's record.
extension CopyRecord {
  /// Returns the tags of a session's record.
  func tags(of session: String) throws(CopyFault) -> [String] {
    guard let text = text("tags") else { return [] }
    guard let list = (try? JSON(validating: text))?.arrayValue?.map(\.stringValue) else {
      throw CopyFault("the tags of session \(session) are no list of strings")
    }
    guard !list.contains(nil) else { throw CopyFault("a tag of session \(session) is no string") }
    return list.compactMap(\.self)
  }

  /// Returns the metadata of a session's record; nil if there is none.
  func metadata(of session: String) throws(CopyFault) -> JSON? {
    guard let text = text("metadata") else { return nil }
    do { return try JSON(validating: text) } catch {
      throw CopyFault("the metadata of session \(session) can't be read: \(error.message)")
    }
  }
}

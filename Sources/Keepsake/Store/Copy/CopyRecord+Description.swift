/// Reading the columns of a record that hold JSON: the tags and the metadata of a session, and the tool calls of an erased entry.
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

  /// Returns the tool calls of an erased entry's record, as far as they are still known; none for any other entry.
  func erasedCalls(of session: String) throws(CopyFault) -> [Entry.ToolCall] {
    guard let json = text("toolCalls") else { return [] }
    let calls = (try? JSON(validating: json))?.arrayValue?.map { call -> Entry.ToolCall? in
      guard let tool = call["tool"]?.stringValue, let id = call["id"]?.stringValue else {
        return nil
      }
      return Entry.ToolCall(id: id, tool: tool)
    }
    guard let calls, !calls.contains(nil) else {
      throw CopyFault("\(name(in: session)) has tool calls that can't be read")
    }
    return calls.compactMap(\.self)
  }
}

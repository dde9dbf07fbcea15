extension Store {
  /// Lists the attachments of all sessions in a state, the newest first, a page at a time.
  ///
  /// With `.pending`, these are the attachments whose bytes are still awaited. A page costs the same however many
  /// attachments are in other states. To list what is present, list artifacts instead.
  /// - Parameters:
  ///   - state: The state.
  ///   - limit: The number of attachments in a page.
  ///   - recording: The `recording` of the last attachment of the page before; nil for the first page.
  @concurrent
  public func attachments(
    in state: Entry.Attachment.State, limit: Int = 50, before recording: Int64? = nil
  ) async throws -> [Entry.Attachment] {
    let handle = handle
    return try handle.read { db in
      try AttachmentReader(handle, in: db).rows(
        in: state, before: recording ?? .max, atMost: max(0, limit)
      ).map(\.value)
    }
  }
}

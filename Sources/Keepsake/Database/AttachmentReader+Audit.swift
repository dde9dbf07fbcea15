import KeepsakeSQLite

// Attachments with their rows, for audits and observers.
extension AttachmentReader {
  /// Attachments, each with its row.
  typealias Found = [(row: AttachmentRow, value: Entry.Attachment)]

  /// Reads the attachments of an artifact, in the order of recording.
  /// - Parameters:
  ///   - artifact: The number of the artifact.
  ///   - recording: The number of the attachment after which they begin.
  ///   - count: The greatest number of attachments.
  func rows(ofArtifact artifact: Int64, after recording: Int64, atMost count: Int) throws -> Found {
    try read(where: Self.ofArtifact) {
      $0.bind(artifact)
      $0.bind(recording)
      $0.bind(count)
    }
  }

  /// Reads the attachments that a tool made, the newest first.
  /// - Parameters:
  ///   - tool: The name of the tool.
  ///   - recording: The number of the attachment before which they begin.
  ///   - count: The greatest number of attachments.
  func rows(ofTool tool: String, before recording: Int64, atMost count: Int) throws -> Found {
    try read(where: Self.ofTool) {
      $0.bind(tool)
      $0.bind(recording)
      $0.bind(count)
    }
  }

  /// Reads the attachments that were made from an artifact, in the order of recording.
  func rows(madeFrom artifact: Int64) throws -> Found {
    try read(where: Self.madeFrom) { $0.bind(artifact) }
  }

  /// Reads the attachments of an artifact that name what they were made from, in the order of recording.
  func rowsWithInputs(ofArtifact artifact: Int64) throws -> Found {
    try read(where: Self.withInputs) { $0.bind(artifact) }
  }

  /// Reads the attachments that a session recorded after one, in their order.
  func rows(recordedIn session: Int64, after recording: Int64) throws -> Found {
    try read(where: "a.number > ?1 AND +a.session = ?2 ORDER BY a.number") {
      $0.bind(recording)
      $0.bind(session)
    }
  }

  /// Reads the attachments that a run made, in the order of recording.
  func rows(madeBy invocation: Int64) throws -> Found {
    try read(where: "a.invocation = ?1 ORDER BY a.number") { $0.bind(invocation) }
  }
}

// MARK: - Conditions

extension AttachmentReader {
  // Sessions that an import still fills (state 1) are left out, because nobody sees them yet. Texts of entries that are kept as
  // artifacts (direction 2) are left out, because readers do not see them as attachments.
  static let ofArtifact = """
    a.artifact = ?1 AND a.number > ?2 AND a.direction <> 2 AND s.state <> 1
    ORDER BY a.number LIMIT ?3
    """
  static let ofTool = """
    a.tool = ?1 AND a.number < ?2 AND s.state <> 1 ORDER BY a.number DESC LIMIT ?3
    """
  static let madeFrom = """
    a.number IN (SELECT attachment FROM derivation WHERE artifact = ?1) AND s.state <> 1
    ORDER BY a.number
    """
  static let withInputs = """
    a.artifact = ?1 AND a.inputs IS NOT NULL AND s.state <> 1 ORDER BY a.number
    """
}

extension MentionIndex {
  /// Entries with respelled references, and the mentions that were not respelled.
  public struct Rewritten: Sendable {
    /// The entries, in the given order.
    public let entries: [Entry]
    /// Mentions that stay because they are ambiguous or their attachments have no bytes, with the indexes of their entries.
    public let kept: [(index: Int, mention: Mention)]
  }

  /// Returns entries with their references spelled in another way; stored entries do not change.
  ///
  /// Paths and URLs are replaced everywhere. Names and labels are replaced only where they serve as references: as the
  /// destination of a link, in brackets or quotes, or as a whole JSON string. In running text they stay, because they can be
  /// read there as before. Markdown, HTML and JSON stay valid, and all bytes around a replacement stay the same.
  ///
  /// For file URLs the artifacts are copied to the store's cache, and for data URLs they are read, each once.
  /// - Parameters:
  ///   - entries: Entries of the session that the index was made from.
  ///   - spelling: The new spelling of references.
  /// - Returns: The rewritten entries.
  /// - Throws: An error of reading or copying an artifact, unless the artifact is missing or damaged, in which case its
  ///   mentions stay.
  @concurrent
  public func rewriting(_ entries: [Entry], as spelling: Mention.Spelling) async throws -> Rewritten
  {
    var rewriter = ReferenceRewriter(self, spelling)
    var rewritten: [Entry] = []
    var kept: [(Int, Mention)] = []
    for (index, entry) in entries.enumerated() {
      let (entry, left) = try await rewriter.rewrite(entry)
      rewritten.append(entry)
      kept += left.map { (index, $0) }
    }
    return Rewritten(entries: rewritten, kept: kept.map { (index: $0.0, mention: $0.1) })
  }
}

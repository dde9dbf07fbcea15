#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

/// Spells references in another way, and remembers the new spelling of each attachment.
package struct ReferenceRewriter {
  /// Makes the new spelling for an attachment; nil if its references stay.
  package typealias Maker = @Sendable (Entry.Attachment) async throws -> String?

  private let index: MentionIndex
  private let make: Maker
  private let edits: EntryEdits
  /// The new spellings by the attachments' recording numbers; nil for an attachment whose references stay.
  private var spelled: [Int64: String?] = [:]

  /// Creates a rewriter.
  ///
  /// - Parameters:
  ///   - index: The names of the session's attachments.
  ///   - replacesImages: Whether a whole Markdown or HTML image is replaced, and not only its destination.
  ///   - make: Makes the new spelling for an attachment.
  package init(_ index: MentionIndex, replacesImages: Bool = false, make: @escaping Maker) {
    self.index = index
    self.make = make
    edits = EntryEdits(replacesImages: replacesImages)
  }

  init(_ index: MentionIndex, _ spelling: Mention.Spelling) {
    self.init(index, replacesImages: spelling == .captions) { attachment in
      do { return try await attachment.spelled(as: spelling) } catch let error as KeepsakeError {
        // A missing artifact must not prevent the rest of the conversation from going out.
        guard error.code == .artifactMissing || error.code == .artifactDamaged else { throw error }
        return nil
      }
    }
  }

  package mutating func rewrite(_ entry: Entry) async throws -> (entry: Entry, kept: [Mention]) {
    var found: [EntryMentions.Found] = []
    EntryMentions(index.table).forEach(in: entry) { found.append($0) }
    if found.isEmpty { return (entry, []) }
    var kept: [Mention] = []
    var changes: [EntryEdits.Part: [EntryEdits.Edit]] = [:]
    for mention in found {
      let resolution = index.resolution(mention.found.meaning)
      guard let attachment = resolution.attachment,
        let reference = try await reference(to: attachment)
      else {
        kept.append(
          Mention(place: mention.place, spelling: mention.spelling, resolution: resolution))
        continue
      }
      changes[EntryEdits.Part(mention.place), default: []].append(
        EntryEdits.Edit(mention: mention, reference: reference))
    }
    return (edits.apply(changes, to: entry), kept)
  }

  private mutating func reference(to attachment: Entry.Attachment) async throws -> String? {
    if let known = spelled[attachment.recording] { return known }
    let made = try await make(attachment)
    spelled[attachment.recording] = .some(made)
    return made
  }
}

extension Entry.Attachment {
  fileprivate func spelled(as spelling: Mention.Spelling) async throws -> String? {
    switch spelling {
    case .labels: return label
    case .captions: return placeholder
    case .fileURLs:
      guard artifact != nil else { return nil }
      return try await fileURL().absoluteString
    case .dataURLs:
      guard let artifact else { return nil }
      let type = mediaType ?? artifact.sniffedType
      return "data:\(type.essence);base64," + (try await artifact.data()).base64EncodedString()
    }
  }
}

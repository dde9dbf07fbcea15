#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension MentionIndex {
  /// Entries as they go out, and what in them stays as it is.
  public struct Rewritten: Sendable {
    public let entries: [Entry]
    /// By the entry's index: mentions that are ambiguous, or whose attachment has no bytes to point at.
    public let kept: [(index: Int, mention: Mention)]
  }

  /// Entries with their references spelled in another way; the entries that are stored stay as they are.
  ///
  /// Paths and URLs are replaced wherever they stand. Names and labels are replaced where they stand for a reference:
  /// as the destination of a link, in brackets or quotes, or as a whole string of JSON. In running text they stay,
  /// because they are as good there as before. What is put into Markdown, HTML or JSON leaves it valid, and every byte
  /// around it stays.
  ///
  /// File URLs are made by materialising the artifacts, data URLs by reading them: each once.
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

/// Spells references in another way, and remembers what it fetched for that.
package struct ReferenceRewriter {
  /// What is put in the place of a reference to an attachment; nil where it stays.
  package typealias Maker = @Sendable (Entry.Attachment) async throws -> String?

  private let index: MentionIndex
  private let make: Maker
  private let edits: EntryEdits
  /// By the attachment's recording; nil where it has no bytes.
  private var spelled: [Int64: String?] = [:]

  /// - Parameters:
  ///   - index: What the session's attachments are called.
  ///   - replacesImages: Whether an image of Markdown or HTML is replaced whole, and not only where it leads.
  ///   - make: What is put in the place of a reference.
  package init(_ index: MentionIndex, replacesImages: Bool = false, make: @escaping Maker) {
    self.index = index
    self.make = make
    edits = EntryEdits(replacesImages: replacesImages)
  }

  init(_ index: MentionIndex, _ spelling: Mention.Spelling) {
    self.init(index, replacesImages: spelling == .captions) { attachment in
      do { return try await attachment.spelled(as: spelling) } catch let error as KeepsakeError {
        // An artifact that is gone must not keep the rest of the conversation back.
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

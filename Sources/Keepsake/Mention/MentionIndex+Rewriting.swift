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
struct ReferenceRewriter {
  private let index: MentionIndex
  private let spelling: Mention.Spelling
  /// By the attachment's recording; nil where it has no bytes.
  private var spelled: [Int64: String?] = [:]

  init(_ index: MentionIndex, _ spelling: Mention.Spelling) {
    self.index = index
    self.spelling = spelling
  }

  mutating func rewrite(_ entry: Entry) async throws -> (entry: Entry, kept: [Mention]) {
    var found: [EntryMentions.Found] = []
    EntryMentions(index.table).forEach(in: entry) { found.append($0) }
    if found.isEmpty { return (entry, []) }
    var kept: [Mention] = []
    var edits: [EntryEdits.Part: [EntryEdits.Edit]] = [:]
    for mention in found {
      let resolution = index.resolution(mention.found.meaning)
      guard let attachment = resolution.attachment,
        let reference = try await reference(to: attachment)
      else {
        kept.append(
          Mention(place: mention.place, spelling: mention.spelling, resolution: resolution))
        continue
      }
      edits[EntryEdits.Part(mention.place), default: []].append(
        EntryEdits.Edit(mention: mention, reference: reference))
    }
    return (EntryEdits(spelling).apply(edits, to: entry), kept)
  }

  private mutating func reference(to attachment: Entry.Attachment) async throws -> String? {
    if let known = spelled[attachment.recording] { return known }
    let made: String?
    do { made = try await make(attachment) } catch let error as KeepsakeError {
      // An artifact that is gone must not keep the rest of the conversation back.
      guard error.code == .artifactMissing || error.code == .artifactDamaged else { throw error }
      made = nil
    }
    spelled[attachment.recording] = .some(made)
    return made
  }

  private func make(_ attachment: Entry.Attachment) async throws -> String? {
    switch spelling {
    case .labels: return attachment.label
    case .captions: return attachment.placeholder
    case .fileURLs:
      guard attachment.artifact != nil else { return nil }
      return try await attachment.fileURL().absoluteString
    case .dataURLs:
      guard let artifact = attachment.artifact else { return nil }
      let type = attachment.mediaType ?? artifact.sniffedType
      return "data:\(type.essence);base64," + (try await artifact.data()).base64EncodedString()
    }
  }
}

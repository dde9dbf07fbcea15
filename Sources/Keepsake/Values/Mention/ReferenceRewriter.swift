#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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

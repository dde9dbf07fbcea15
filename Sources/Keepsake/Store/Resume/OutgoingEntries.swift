/// The entries of a list as a model gets them, with respelled references, and placeholders for images it cannot see.
///
/// Each entry is made when it is first requested.
struct OutgoingEntries {
  let items: [OutgoingList.Item]
  private let seesImages: Bool
  private var rewriter: ReferenceRewriter?
  private var made: [Entry?]
  private var notes: [Int: [Resumption.Note]] = [:]
  /// The notes of each item as a set, so that a note is not added twice.
  private var noted: [Int: Set<Resumption.Note>] = [:]

  init(_ items: [OutgoingList.Item], index: MentionIndex?, options: Resumption.Options) {
    self.items = items
    seesImages = options.seesImages
    if let index, let references = options.references, !index.attachments.isEmpty {
      rewriter = ReferenceRewriter(index, references)
    }
    made = Array(repeating: nil, count: items.count)
  }

  /// Returns the notes about an item, if it goes out.
  func notes(_ item: Int) -> [Resumption.Note] { items[item].notes + (notes[item] ?? []) }

  mutating func entries(_ items: [Int]) async throws -> [Entry] {
    var entries: [Entry] = []
    entries.reserveCapacity(items.count)
    for item in items { entries.append(try await entry(item)) }
    return entries
  }

  mutating func entry(_ item: Int) async throws -> Entry {
    if let made = made[item] { return made }
    var entry = items[item].entry
    if let (rewritten, kept) = try await rewriter?.rewrite(entry) {
      entry = rewritten
      for mention in kept { note(item, .noticed, .reference(mention.spelling)) }
    }
    let standing = entry.attachmentsBySegment
    for index in entry.segments.indices {
      guard let attachment = standing[index],
        attachment.artifact == nil || (!seesImages && attachment.isImage)
      else { continue }
      entry.segments[index].content = .text(Self.placeholder(attachment))
      note(item, .replaced, .image(attachment.label))
    }
    if !seesImages { tellOfImages(beside: &entry, item) }
    made[item] = entry
    return entry
  }

  /// Adds placeholders for images without a segment, which a tool or a step made and the text may not mention.
  private mutating func tellOfImages(beside entry: inout Entry, _ item: Int) {
    let shown = items[item].entry
    let inside = Set(shown.attachmentsBySegment.values.lazy.map(\.id))
    for attachment in entry.attachments
    where attachment.isImage && !inside.contains(attachment.id) && attachment.state == .present {
      entry.segments.append(.text(Self.placeholder(attachment)))
      note(item, .replaced, .image(attachment.label))
    }
  }

  private static func placeholder(_ attachment: Entry.Attachment) -> String {
    guard let caption = attachment.caption else { return "[image placeholder] \(attachment.label)" }
    return "[image placeholder] \(attachment.label): \(caption)"
  }

  private mutating func note(
    _ item: Int, _ action: Resumption.Action, _ reason: Resumption.Reason
  ) {
    let stored = items[item]
    guard let index = stored.index else { return }
    let note = Resumption.Note(
      position: stored.entry.position ?? index, action: action, reason: reason)
    guard noted[item, default: []].insert(note).inserted else { return }
    notes[item, default: []].append(note)
  }

  // MARK: - Images that don't fit

  /// Returns the segments of some items that are images, oldest first.
  mutating func images(_ items: [Int]) async throws -> [(item: Int, segment: Int)] {
    var images: [(Int, Int)] = []
    for item in items {
      let entry = try await entry(item)
      let standing = entry.attachmentsBySegment
      for segment in entry.segments.indices where standing[segment]?.isImage == true {
        images.append((item, segment))
      }
    }
    return images
  }

  /// Replaces images with placeholders such as `[image_1: caption]`; the images must be grouped by item.
  mutating func replace(_ images: some Sequence<(item: Int, segment: Int)>) async throws {
    var changed: (item: Int, entry: Entry, standing: [Int: Entry.Attachment])?
    for (item, segment) in images {
      if changed?.item != item {
        if let changed { made[changed.item] = changed.entry }
        let entry = try await entry(item)
        changed = (item, entry, entry.attachmentsBySegment)
      }
      guard let attachment = changed?.standing[segment] else { continue }
      changed?.entry.segments[segment].content = .text(attachment.placeholder)
      note(item, .replaced, .image(attachment.label))
    }
    if let changed { made[changed.item] = changed.entry }
  }
}

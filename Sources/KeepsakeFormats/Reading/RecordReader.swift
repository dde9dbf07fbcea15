#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// What a codec gathers while it reads a record: what is attached, where base64 stands, and what was not as it should be.
struct RecordReader {
  /// Foreign content above this size is kept as an artifact, because an entry has to be small.
  static let contentLimit = 1 << 20
  /// What an entry may hold, with room for what is put around it.
  static let entryLimit = 14 << 20

  let bytes: [UInt8]
  /// The codec's name: what it alone understands is kept under it.
  let format: String
  private(set) var attachments: [Entry.NewAttachment] = []
  /// In the order of the bytes, each place once.
  private(set) var spans: [SourceSpan] = []
  private(set) var remarks: [String] = []
  /// How it is known who made what is attached from now on: mostly the record says it, and no app did.
  var basis = Entry.Attachment.Basis.recorded
  /// How much of the record is not in the entry: base64, and texts that are artifacts.
  private var outside = 0

  init(_ bytes: [UInt8], format: String) {
    self.bytes = bytes
    self.format = format
  }

  /// A record that can't be read as what it should be, and why.
  struct Unreadable: Error {
    let reason: String
  }

  mutating func remark(_ remark: String) { remarks.append(remark) }

  /// Forgets what was gathered, because the record is kept whole instead.
  mutating func reset() { self = RecordReader(bytes, format: format) }

  /// An entry, with what was attached since the one before.
  mutating func finish(_ entry: Entry) -> SourceEntry {
    defer { attachments = [] }
    return SourceEntry(entry, attaching: attachments)
  }

  /// Notes base64 that the store need not have twice, and that no entry shows; nothing where it is noted already.
  mutating func cut(base64 range: Range<Int>) {
    guard let index = place(of: range), let span = SourceSpan(range, in: bytes) else { return }
    spans.insert(span, at: index)
    outside += range.count
  }

  /// Where among the spans one belongs; nil where one is that overlaps it.
  private func place(of range: Range<Int>) -> Int? {
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].range.lowerBound < range.lowerBound {
        low = middle + 1
      } else {
        high = middle
      }
    }
    if low > 0, spans[low - 1].range.overlaps(range) { return nil }
    return low < spans.count && spans[low].range.overlaps(range) ? nil : low
  }

  /// A record of which nothing is understood, or too much would be in an entry: all of it, kept as it is.
  mutating func whole(_ value: Range<Int>, type: String, because reason: String) -> SourceEntry {
    reset()
    remark(reason)
    EmbeddedBase64.cut(value, from: &self)
    return finish(Entry(.unknown, segments: [.init(opaque(value, type: type))], created: nil))
  }

  /// Whether what is left of a value fits into an entry.
  func fits(_ value: Range<Int>) -> Bool { value.count - outside <= Self.entryLimit }

  mutating func noteRepeated(_ object: JSONObject) {
    for key in Set(object.repeated).sorted() {
      remark("The key '\(key)' comes more than once; the first counts, the rest is kept.")
    }
  }

  /// A text, whose half surrogates read as U+FFFD.
  mutating func text(_ range: Range<Int>) -> String? {
    guard let text = JSONText.string(range, in: bytes) else { return nil }
    if text.utf8.count > Self.contentLimit { outside += range.count }
    if text.utf8.count != range.count - 2, JSONText.hasLoneSurrogate(range, in: bytes) {
      remark("A text holds half of a surrogate pair; it reads as U+FFFD, and is kept as it is.")
    }
    return text
  }

  /// Foreign content that nobody here understands.
  mutating func opaque(_ range: Range<Int>, type: String) -> Entry.Segment.Content {
    let name = "\(format).\(type)"
    if range.count <= Self.contentLimit, let json = JSONText.value(range, in: bytes) {
      return .opaque(json, type: name)
    }
    outside += range.count
    var attachment = Entry.NewAttachment(
      .bytes(Array(bytes[range])), mediaType: OpaqueType.mediaType(name), madeBy: .source)
    attachment.direction = .given
    return attach(attachment)
  }

  /// Attaches what base64 at a range holds; nil where it is damaged.
  mutating func attach(
    base64 range: Range<Int>, mediaType: MediaType?, label: String?, fileName: String? = nil,
    madeBy maker: Entry.MadeBy
  ) -> Entry.Segment.Content? {
    guard let value = ForeignBase64.value(range, in: bytes) else { return nil }
    outside += range.count
    if let span = value.span, let index = place(of: range) { spans.insert(span, at: index) }
    return attach(
      Entry.NewAttachment(
        value.source, mediaType: mediaType, fileName: fileName, label: label, madeBy: maker))
  }

  /// Attaches what is elsewhere, by its URL, which is never opened.
  mutating func attach(
    remote url: String, mediaType: MediaType? = nil, madeBy maker: Entry.MadeBy
  ) -> Entry.Segment.Content {
    attach(.awaited(.remote, mediaType: mediaType, reference: url, madeBy: maker))
  }

  /// Attaches a file that lies with the record's.
  mutating func attach(
    _ asset: AssetFolder.Asset, mediaType: MediaType?, fileName: String?,
    madeBy maker: Entry.MadeBy
  ) -> Entry.Segment.Content {
    attach(
      Entry.NewAttachment(
        .file(URL(filePath: asset.path)), mediaType: mediaType, fileName: fileName ?? asset.name,
        madeBy: maker))
  }

  /// Attaches what the record names and does not hold.
  mutating func attach(
    missing reference: String?, mediaType: MediaType?, madeBy maker: Entry.MadeBy
  ) -> Entry.Segment.Content {
    attach(.awaited(.missing, mediaType: mediaType, reference: reference, madeBy: maker))
  }

  private mutating func attach(_ attachment: Entry.NewAttachment) -> Entry.Segment.Content {
    var attachment = attachment
    attachment.basis = attachment.maker == .source ? .unknown : basis
    attachments.append(attachment)
    return .attachment(attachments.count - 1)
  }

  /// Whether the store takes it as a label.
  static func isLabel(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200 && !text.contains(where: \.isNewline)
  }
}

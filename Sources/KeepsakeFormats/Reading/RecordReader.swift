#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Gathers what a codec finds in a record: attachments, ranges of base64, and remarks.
struct RecordReader {
  /// The size in bytes above which foreign content is kept as an artifact, because an entry has to be small.
  static let contentLimit = 1 << 20
  /// The size in bytes that an entry may have, less room for what is written around it.
  static let entryLimit = 14 << 20

  let bytes: [UInt8]
  /// The codec's name, under which details and opaque content are kept.
  let format: String
  private(set) var attachments: [Entry.NewAttachment] = []
  /// The ranges of base64 in the order of the bytes, without overlaps.
  private(set) var spans: [SourceSpan] = []
  private(set) var remarks: [String] = []
  /// The basis of the makers of attachments that are read from now on. Mostly the record states them.
  var basis = Entry.Attachment.Basis.recorded
  /// The number of bytes of the record that are outside of the entry: base64, and texts that become artifacts.
  private var outside = 0

  init(_ bytes: [UInt8], format: String) {
    self.bytes = bytes
    self.format = format
  }

  /// The reason why a record can't be read as an entry.
  struct Unreadable: Error {
    let reason: String
  }

  mutating func remark(_ remark: String) { remarks.append(remark) }

  /// Forgets all that was gathered, because the record is kept as opaque instead.
  mutating func reset() { self = RecordReader(bytes, format: format) }

  /// Returns an entry with the attachments since the last one.
  mutating func finish(_ entry: Entry) -> SourceEntry {
    defer { attachments = [] }
    return SourceEntry(entry, attaching: attachments)
  }

  /// Notes base64 that the store need not keep twice and that no entry shows; nothing where it overlaps a noted
  /// range.
  mutating func cut(base64 range: Range<Int>) {
    guard let index = place(of: range), let span = SourceSpan(range, in: bytes) else { return }
    spans.insert(span, at: index)
    outside += range.count
  }

  /// The index at which a range belongs among the spans; nil where it overlaps one of them.
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

  /// Keeps a whole record as opaque, because it is not understood or too large for an entry.
  mutating func whole(_ value: Range<Int>, type: String, because reason: String) -> SourceEntry {
    reset()
    remark(reason)
    EmbeddedBase64.cut(value, from: &self)
    return finish(Entry(.unknown, segments: [.init(opaque(value, type: type))], created: nil))
  }

  /// Returns whether the rest of a value fits into an entry, without base64 and large texts.
  func fits(_ value: Range<Int>) -> Bool { value.count - outside <= Self.entryLimit }

  mutating func noteRepeated(_ object: JSONObject) {
    for key in Set(object.repeated).sorted() {
      remark("The key '\(key)' comes more than once; the first counts, the rest is kept.")
    }
  }

  /// Reads a text, in which a lone half of a surrogate pair becomes U+FFFD; nil where the value is no string.
  mutating func text(_ range: Range<Int>) -> String? {
    guard let text = JSONText.string(range, in: bytes) else { return nil }
    if text.utf8.count > Self.contentLimit { outside += range.count }
    if text.utf8.count != range.count - 2, JSONText.hasLoneSurrogate(range, in: bytes) {
      remark("A text holds half of a surrogate pair; it reads as U+FFFD, and is kept as it is.")
    }
    return text
  }

  /// Keeps foreign content that is not understood: inline, or as an artifact where it is large.
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

  /// Attaches the bytes that base64 at a range stands for; nil where the base64 is damaged.
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

  /// Attaches bytes that are elsewhere, by their URL, which is never opened.
  mutating func attach(
    remote url: String, mediaType: MediaType? = nil, madeBy maker: Entry.MadeBy
  ) -> Entry.Segment.Content {
    attach(.awaited(.remote, mediaType: mediaType, reference: url, madeBy: maker))
  }

  /// Attaches a file that lies beside the imported file.
  mutating func attach(
    _ asset: AssetFolder.Asset, mediaType: MediaType?, fileName: String?,
    madeBy maker: Entry.MadeBy
  ) -> Entry.Segment.Content {
    attach(
      Entry.NewAttachment(
        .file(URL(filePath: asset.path)), mediaType: mediaType, fileName: fileName ?? asset.name,
        madeBy: maker))
  }

  /// Records an attachment that the record names and does not hold.
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

  /// Returns whether the store accepts a text as a label.
  static func isLabel(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 200 && !text.contains(where: \.isNewline)
  }
}

import Keepsake

/// A file in a block of a message: in LangChain's present or earlier shape, or in that of a model's service.
struct LangChainMedia {
  private enum Content {
    case base64(Range<Int>)
    /// The URL of the file, or the id under which a service knows it.
    case remote(String)
  }

  private let content: Content
  private let mediaType: MediaType?
  private let fileName: String?

  /// Finds the file in a block; nil where the block has none.
  init?(_ block: JSONObject, in bytes: [UInt8]) {
    let type = block.string("type") ?? ""
    // Services put the members of a file into an inner object.
    let inner = block.object(type) ?? block.object("source") ?? block
    let declared = ["mime_type", "media_type", "mimeType"].lazy.compactMap { inner.name($0) }.first
    fileName =
      inner.name("filename") ?? block.object("extras")?.name("filename")
      ?? block.object("metadata")?.name("name") ?? block.name("title")
    var found: Content?
    var mediaType = declared.map { MediaType($0) }
    for key in ["base64", "data", "file_data", "url", "image_url", "file_url"] where found == nil {
      guard inner.kind(key) == .string, let place = inner[key], place.count > 2 else { continue }
      if let url = DataURL(place, in: bytes) {
        found = .base64(url.payload)
        mediaType = mediaType ?? url.mediaType
      } else if key.hasSuffix("url") {
        found = JSONText.string(place, in: bytes).map { .remote($0) }
      } else {
        found = .base64((place.lowerBound + 1)..<(place.upperBound - 1))
      }
    }
    let id =
      inner.name("file_id") ?? inner.name("file_uri")
      ?? (type.isEmpty ? nil : block.name("file_id"))
    if found == nil, let id = id ?? (inner.string("source_type") == "id" ? inner.name("id") : nil) {
      found = .remote(id)
    }
    if mediaType == nil, let format = inner.name("format"), type == "input_audio" {
      mediaType = MediaType.forFileExtension(format)
    }
    guard let found else { return nil }
    content = found
    self.mediaType = mediaType
  }

  /// Attaches the file; nil where its base64 is damaged.
  func attach(madeBy maker: Entry.MadeBy, to record: inout RecordReader) -> Entry.Segment.Content? {
    switch content {
    case .base64(let place):
      record.attach(
        base64: place, mediaType: mediaType, label: nil, fileName: fileName, madeBy: maker)
    case .remote(let address):
      record.attach(remote: address, mediaType: mediaType, madeBy: maker)
    }
  }
}

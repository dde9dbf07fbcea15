#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A piece of a tool's result.
enum ContentBlock: Sendable {
  case text(String)
  case image(Data, MediaType)
  /// A resource that the client may read.
  case link(uri: String, name: String, type: MediaType, size: Int64)

  /// Writes the block; a link becomes a line of text for revisions that have no links.
  func write(to writer: inout JSONWriter, for revision: Revision) {
    writer.beginObject()
    switch self {
    case .text(let text):
      writer.member("type", "text")
      writer.member("text", text)
    case .image(let data, let type):
      writer.member("type", "image")
      writer.member("data", base64: data)
      writer.member("mimeType", type.essence)
    case .link(let uri, let name, let type, let size):
      guard revision.has(.resourceLinks) else {
        writer.member("type", "text")
        writer.member("text", "Resource: \(uri)")
        break
      }
      writer.member("type", "resource_link")
      writer.member("uri", uri)
      writer.member("name", name)
      writer.member("mimeType", type.essence)
      writer.member("size", size)
    }
    writer.endObject()
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The forms in which an artifact is shown, each of which may not be possible.
struct ShownArtifact: Sendable {
  let artifact: Artifact
  /// The line of facts, which stands before any form.
  let facts: String
  /// Bytes of the text that were read before.
  let offset: Int
  /// The most bytes of text.
  let bytes: Int

  /// A form, or the reason why there is none.
  enum Form: Sendable {
    case shown([ContentBlock])
    case cannot(String)
  }

  /// The sentence that says where the bytes are.
  var place: String { "Its bytes are the resource \(uri)." }

  private var uri: String { ResourceURI.artifact(artifact.id).text }

  /// An image, or text, or else the reason and the place.
  func automatic() async throws -> [ContentBlock] {
    if artifact.sniffedType.isImage {
      switch try await image() {
      case .shown(let blocks): return blocks
      case .cannot(let reason): return [.text("\(facts)\nNot shown: \(reason) \(place)")]
      }
    }
    switch try await text() {
    case .shown(let blocks): return blocks
    case .cannot(let reason): return [.text("\(facts)\nNot shown: \(reason) \(place)")]
    }
  }

  var link: [ContentBlock] {
    [
      .text(facts),
      .link(
        uri: uri, name: "sha256:\(artifact.id.hex.prefix(12))", type: artifact.sniffedType,
        size: artifact.size),
    ]
  }

  /// The image, if it is one that all clients and the services behind them take.
  func image() async throws -> Form {
    let type = artifact.sniffedType
    guard ImageStructure.types.contains(type) else {
      return .cannot("its bytes are \(type.essence), and only PNG, JPEG, GIF and WebP are shown.")
    }
    guard artifact.size <= ClientLimits.inlineImage else {
      return .cannot(
        "it has \(artifact.size) bytes, and at most \(ClientLimits.inlineImage) are shown.")
    }
    let side = ClientLimits.imageSide
    guard let pixels = artifact.pixelSize, pixels.width <= side, pixels.height <= side else {
      let size = artifact.pixelSize.map { "it is \($0) pixels" } ?? "its size is not known"
      return .cannot("\(size), and at most \(side)×\(side) are shown.")
    }
    let data = try await artifact.data()
    guard ImageStructure.isWhole(Array(data), as: type) else {
      return .cannot("its bytes are not a whole \(type.essence) image.")
    }
    return .shown([.text(facts), .image(data, type)])
  }

  /// A framed piece of the text, if the bytes are text.
  func text() async throws -> Form {
    let type = artifact.sniffedType
    guard type.isText || type == .svg else {
      return .cannot("its bytes are \(type.essence), which is no text.")
    }
    guard artifact.size <= Int64(ClientLimits.resource) else {
      return .cannot(
        "it has \(artifact.size) bytes, and text of at most \(ClientLimits.resource) is shown.")
    }
    let data = try await artifact.data()
    guard let raw = String(validating: data, as: UTF8.self) else {
      return .cannot("its bytes are no UTF-8.")
    }
    let text = Array(VisibleText.block(raw).utf8)
    guard Cut.isBoundary(offset, of: text) else {
      throw ToolError(
        "'offset' \(offset) is no place in the text, which has \(text.count) bytes. Give the offset that an answer named."
      )
    }
    let frame = Frame()
    let longest = "artifact bytes \(text.count)..\(text.count) of \(text.count)"
    let next =
      "; rest: {\"artifact\":\"sha256:\(artifact.id.hex.prefix(16))\",\"form\":\"text\",\"offset\":\(text.count)}"
    let head = frame.notice.utf8.count + facts.utf8.count + next.utf8.count + 1
    let room = max(4, bytes - head - frame.overhead(longest))
    let end = max(
      Cut.end(of: text, from: offset, limit: room), min(text.count, offset + 1))
    let isCut = end < text.count
    let said =
      isCut
      ? "; rest: {\"artifact\":\"sha256:\(artifact.id.hex.prefix(16))\",\"form\":\"text\",\"offset\":\(end)}"
      : ""
    let part = frame.part(
      "artifact bytes \(offset)..\(end) of \(text.count)",
      String(decoding: text[offset..<end], as: UTF8.self))
    return .shown([.text("\(frame.notice)\(facts)\(said)\n\(part)")])
  }
}

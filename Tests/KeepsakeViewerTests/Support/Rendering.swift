import KeepsakeFiles
import Foundation
import Keepsake
import KeepsakeTestSupport

@testable import KeepsakeViewer

/// A session in a store of its own, removed afterwards.
func withSession<Result>(
  title: String? = nil, _ body: (Session, Store) async throws -> Result
) async throws -> Result {
  try await Slots.shared.run {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "keepsake-viewer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      let store = try await Store(at: folder.appending(path: "Chats.keepsake"))
      let result: Result
      do { result = try await body(try await store.createSession(title: title), store) } catch {
        await store.close()
        throw error
      }
      await store.close()
      try FileManager.default.removeItem(at: folder)
      return result
    } catch {
      try FileManager.default.removeItem(at: folder)
      throw error
    }
  }
}

/// The page of a session with one response.
func page(saying text: String) async throws -> WrittenPage {
  try await withSession { session, _ in
    try await session.append(.response(text))
    return try await session.page()
  }
}

extension Session {
  func page(_ options: PageOptions = .init()) async throws -> WrittenPage {
    let pieces = Locked<[[UInt8]]>([])
    try await page(options) { piece in pieces.withLock { $0.append(piece) } }
    let all = pieces.withLock { $0 }
    return try WrittenPage(
      text: String(decoding: all.joined(), as: UTF8.self),
      largestPiece: all.map(\.count).max() ?? 0)
  }

  /// Attaches bytes as given by the user.
  @discardableResult
  func give(
    _ bytes: [UInt8], type: MediaType? = nil, name: String? = nil, caption: String? = nil,
    to position: Int? = nil
  ) async throws -> Entry.Attachment {
    try await attach(
      .init(.bytes(bytes), mediaType: type, fileName: name, caption: caption), to: position)
  }
}

enum Picture {
  /// One pixel, as a whole PNG.
  static let png = [UInt8](
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    ) ?? Data())

  /// The beginning of a PNG that says it has so many pixels.
  static func png(width: UInt32, height: UInt32) -> [UInt8] {
    var bytes = png
    for (offset, value) in [(16, width), (20, height)] {
      for byte in 0..<4 { bytes[offset + byte] = UInt8(value >> (24 - 8 * UInt32(byte)) & 0xFF) }
    }
    return bytes
  }

  /// A PNG of its own for each number: what follows the image is of no matter to it.
  static func png(number: Int) -> [UInt8] { png + Array("\(number)".utf8) }
}

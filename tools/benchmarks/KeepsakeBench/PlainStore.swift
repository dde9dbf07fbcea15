import Foundation
import KeepsakeMigrations
import KeepsakeYardstick

/// The yardstick: the same store in plain C.
final class PlainStore {
  private let store: Yardstick

  /// Makes a store in a new folder, with Keepsake's own schema.
  init(making folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let schema = Migrations.all.flatMap(\.sql)
    store = yardstick_open(folder.path, schema, schema.count)
  }

  /// Opens a store of Keepsake's for reading the same rows.
  init(reading folder: URL) {
    store = yardstick_open(folder.path, nil, 0)
  }

  deinit { yardstick_close(store) }

  func makeSession() -> Int64 { yardstick_make_session(store) }

  func session(_ id: UUID) -> Int64 {
    let id = id.uuid
    let bytes = [
      id.0, id.1, id.2, id.3, id.4, id.5, id.6, id.7, id.8, id.9, id.10, id.11, id.12, id.13,
      id.14, id.15,
    ]
    return yardstick_find_session(store, bytes)
  }

  func append(_ texts: Texts, to session: Int64) {
    yardstick_append(
      store, session, Int32(texts.sizes.count), texts.bytes, texts.sizes, texts.areBodies ? 1 : 0)
  }

  func index(_ texts: Texts) {
    yardstick_index(store, Int32(texts.sizes.count), texts.bytes, texts.sizes)
  }

  func put(_ bytes: [UInt8], in session: Int64) {
    yardstick_put(store, session, bytes, Int32(bytes.count))
  }

  func put(_ file: URL, in session: Int64) { yardstick_put_file(store, session, file.path) }

  @discardableResult
  func reload(_ positions: Range<Int>, of session: Int64) -> Int64 {
    yardstick_reload(store, session, Int64(positions.lowerBound), Int64(positions.upperBound))
  }

  func scan() -> Int64 { yardstick_scan(store) }

  func pin() { yardstick_pin(store) }
  func unpin() { yardstick_unpin(store) }

  /// Texts as C takes them: one after the other.
  struct Texts {
    var bytes: [UInt8] = []
    var sizes: [Int32] = []
    let areBodies: Bool

    init(_ texts: [String]) {
      areBodies = false
      for text in texts {
        bytes += text.utf8
        sizes.append(Int32(text.utf8.count))
      }
    }

    /// Bodies that C need not encode: these texts have nothing in them that JSON escapes.
    init(bodiesOf texts: [String]) {
      areBodies = true
      for text in texts {
        let plain = text.replacing("\n", with: " ").replacing("\"", with: "'")
        let body = Array(#"{"v":1,"segments":[{"text":"\#(plain)"}]}"#.utf8)
        bytes += body
        sizes.append(Int32(body.count))
      }
    }
  }
}

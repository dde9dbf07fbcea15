#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// A file outside of the store that is audited, identified by its bytes and its path.
struct AuditedFile {
  /// The name of the file as the person gave it.
  let name: String
  /// The id of the file's bytes; nil if the file is gone.
  let id: Artifact.ID?
  let size: Int64?
  private let pixelSize: PixelSize?

  init(_ name: String) throws {
    self.name = name
    let file = try OutsideFile.open(name)
    let (digest, size) = try Ingest.hash(file)
    id = Artifact.ID(digest)
    self.size = size
    pixelSize = try PixelSize { (offset, count) throws(FileError) in
      var bytes = [UInt8](repeating: 0, count: count)
      let read = try file.read(into: &bytes, at: offset)
      return Array(bytes.prefix(read))
    }
  }

  /// Creates the subject for a file that is gone.
  ///
  /// - Parameter name: A path where no file is.
  init(gone name: String) {
    self.name = name
    (id, size, pixelSize) = (nil, nil, nil)
  }

  var url: URL { URL(filePath: name) }

  /// The absolute path; nil if the file is gone.
  var openPath: String? { id == nil ? nil : url.absoluteURL.path }

  /// Makes a message that the store knows nothing of the file, with artifacts that may be meant instead.
  func unknown(in store: Store) async throws -> String {
    let candidates = try await candidates(in: store)
    let bytes = id.map { " (\($0))" } ?? ""
    return "'\(name)' is not in the store: no artifact has its bytes\(bytes), and no call names it."
      + (candidates.isEmpty
        ? "" : " As many pixels have: \(candidates.joined(separator: ", ")).")
  }

  /// Returns artifacts with the same pixel size, newest first, because the file may have been converted from or to one of them.
  private func candidates(in store: Store) async throws -> [String] {
    guard let pixelSize else { return [] }
    var found: [String] = []
    var cursor: Artifact.Cursor?
    repeat {
      let page = try await store.artifacts(limit: 1000, after: cursor)
      found += page.artifacts.filter { $0.pixelSize == pixelSize }.map { Words.short($0.id) }
      cursor = page.next
    } while cursor != nil && found.count < 5
    return Array(found.prefix(5))
  }
}

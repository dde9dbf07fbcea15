#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// A file whose maker is sought: its path, and its state where it still exists.
struct SoughtFile {
  let lastName: String
  /// The path and the path without links, each as components.
  private let spellings: [[String]]
  private let status: FileStatus?
  private let path: String

  /// - Parameter path: An absolute path.
  init(_ path: String) {
    self.path = path
    let spelled = Self.components(path)
    lastName = spelled.last ?? ""
    let resolved = FileStatus.resolvedPath(path).map(Self.components)
    spellings = [spelled] + (resolved.map { [$0] } ?? [])
    status = FileStatus(path: path).flatMap { $0.isRegular ? $0 : nil }
  }

  private static func components(_ path: String) -> [String] {
    var components: [String] = []
    for name in path.split(separator: "/") where name != "." {
      if name == ".." { _ = components.popLast() } else { components.append(String(name)) }
    }
    return components
  }

  /// How a path in a call matches the path of the file.
  enum Fit {
    case whole
    /// The call's path is relative, and the file's path ends with it.
    case end
  }

  /// Compares a path in a call with the path of the file.
  /// - Returns: How the two match; nil where the path is another file's.
  func fit(_ path: String) -> Fit? {
    let components = Self.components(path)
    if path.hasPrefix("/") { return spellings.contains(components) ? .whole : nil }
    let names = components.first == "~" ? components.dropFirst() : components[...]
    guard !names.isEmpty else { return nil }
    return spellings.contains { $0.suffix(names.count).elementsEqual(names) } ? .end : nil
  }

  /// How the file shows that a call made its content; nil where it does not, or no longer exists.
  func basis(of naming: FileNamings.Naming) throws -> Entry.Attachment.Basis? {
    guard let status, fit(naming.work.path) != nil else { return nil }
    return try naming.basis(
      ofFileOf: status.size,
      modified: Date(timeIntervalSince1970: Double(status.modified) / 1e9)
    ) { try Ingest.hash(OutsideFile.open(path)).digest }
  }
}

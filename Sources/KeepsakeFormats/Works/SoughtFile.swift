#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// A file of which it is asked who made it: where it is, and what it holds, if it still is there.
struct SoughtFile {
  let lastName: String
  /// The components of each way to write its path.
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

  /// How a path in a call fits to the file's.
  enum Fit {
    case whole
    /// The path is none from the root on, and the file's ends with it.
    case end
  }

  /// - Returns: nil where the path is another file's.
  func fit(_ path: String) -> Fit? {
    let components = Self.components(path)
    if path.hasPrefix("/") { return spellings.contains(components) ? .whole : nil }
    let names = components.first == "~" ? components.dropFirst() : components[...]
    guard !names.isEmpty else { return nil }
    return spellings.contains { $0.suffix(names.count).elementsEqual(names) } ? .end : nil
  }

  /// How the file shows that a call made what it holds; nil where it shows nothing, or is gone.
  func basis(of naming: FileNamings.Naming) throws -> Entry.Attachment.Basis? {
    guard let status, fit(naming.work.path) != nil else { return nil }
    return try naming.basis(
      ofFileOf: status.size,
      modified: Date(timeIntervalSince1970: Double(status.modified) / 1e9)
    ) { try Ingest.hash(OutsideFile.open(path)).digest }
  }
}

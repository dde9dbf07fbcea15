#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The file `hub.json`, which says that a folder or a bucket holds a hub: one checked line with the hub's id.
package enum HubFile {
  /// The name of the file.
  package static let name = "hub.json"

  /// The content of the file of a hub.
  package static func content(_ id: UUID) -> [UInt8] {
    CheckedLine.encoded { line in
      line.member("format", VersionFile.format)
      line.member("hub", "\(id)")
    }
  }

  /// Reads the id of the hub.
  /// - Parameters:
  ///   - bytes: The content of the file.
  ///   - hub: The path or address of the hub, for messages.
  /// - Throws: An error that says that the file was altered, or is of a newer version.
  package static func id(_ bytes: [UInt8], of hub: String) throws(KeepsakeError) -> UUID {
    guard let line = CheckedLine(bytes), let format = line.number("format") else {
      throw .damagedHub(hub, "'\(name)' was altered")
    }
    guard format <= VersionFile.format else { throw .newerHub(hub, format: format) }
    // The lines of other files of a hub have the hub's id, too, and more members.
    guard let id = line.id("hub"), bytes == content(id) else {
      throw .damagedHub(hub, "'\(name)' was altered")
    }
    return id
  }
}

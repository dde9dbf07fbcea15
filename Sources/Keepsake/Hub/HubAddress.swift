#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The place of a hub, where stores meet, and the way to open it.
///
/// A hub is an existing engine that several machines reach. This library brings the hub in a folder.
public struct HubAddress: Sendable, CustomStringConvertible {
  /// The address as a text, without a secret.
  public let description: String
  /// Opens the hub, or makes it.
  package let open: @Sendable (Opening) async throws -> any Hub

  /// The wishes for opening a hub.
  package struct Opening: Sendable {
    /// The id that the hub has to have; nil for whatever hub is there.
    package var id: UUID?
    /// The name under which the store tells others of its changes.
    package var peer = HubPeer()
    /// Whether a missing hub is made.
    package var mayMake = false
    /// Tells whether the hub is opened to be upgraded, and so may be one that an earlier version of Keepsake made.
    package var mayUpgrade = false

    package init(
      id: UUID? = nil, peer: HubPeer = HubPeer(), mayMake: Bool = false, mayUpgrade: Bool = false
    ) {
      self.id = id
      self.peer = peer
      self.mayMake = mayMake
      self.mayUpgrade = mayUpgrade
    }
  }

  /// Makes an address from its text and the way to open what is there.
  package init(_ description: String, open: @escaping @Sendable (Opening) async throws -> any Hub) {
    self.description = description
    self.open = open
  }
}

extension HubAddress {
  /// The hub in a folder on one file system, which the programs of a machine or several machines share.
  ///
  /// The folder must be on a disk that all of them reach, such as an external disk or a network share. A folder that an app
  /// copies between machines, such as Dropbox or iCloud Drive, is no such place: there two machines could both be told yes.
  /// - Parameter url: A file URL.
  public static func folder(_ url: URL) -> HubAddress { folder(path: url.path) }

  static func folder(path: String) -> HubAddress {
    HubAddress(
      "file://\(URL(filePath: path, directoryHint: .isDirectory).path(percentEncoded: true))"
    ) {
      try await FolderHub.open(at: path, expecting: $0.id, peer: $0.peer, making: $0.mayMake)
    }
  }

  /// Reads the address of a hub in a folder: a file URL, or an absolute path.
  ///
  /// - Parameter text: The address.
  /// - Throws: A ``KeepsakeError`` with the code `invalid` if the text is no such address.
  public init(_ text: String) throws {
    if text.hasPrefix("/") {
      self = .folder(path: text)
    } else if text.hasPrefix("file:"), let url = URL(string: text), url.isFileURL,
      url.path.hasPrefix("/")
    {
      self = .folder(path: url.path)
    } else {
      throw KeepsakeError(
        .invalid,
        "'\(text)' is no address of a hub that is known here. Name a folder, such as file:///Volumes/Shared/Hub.",
        object: text)
    }
  }
}

#if canImport(Darwin)
  public import Foundation
  import KeepsakeFiles

  extension Store {
    /// The places in which an app keeps its stores.
    public enum Place: Sendable, Hashable {
      /// The app's own folder for data that people don't see.
      case applicationSupport
      /// The folder of an app group, for an app and its extensions. Call ``Store/suspend()`` in the background.
      case appGroup(String)

      /// Returns the URL of a named store, and makes the folders above it.
      ///
      /// - Parameter name: The store's name, without the extension.
      /// - Returns: The URL of the store's folder, which need not exist.
      /// - Throws: A ``KeepsakeError`` with the code `notFound` if the app does not belong to the group.
      public func url(named name: String) throws -> URL {
        let folder: URL
        switch self {
        case .applicationSupport: folder = .applicationSupportDirectory
        case .appGroup(let group):
          guard
            let container = FileManager.default.containerURL(
              forSecurityApplicationGroupIdentifier: group)
          else {
            throw KeepsakeError(
              .notFound,
              "Can't find the folder of the app group '\(group)'. Add the group to the app's entitlements.",
              object: group)
          }
          folder = container.appending(path: "Library/Application Support")
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appending(path: "\(name).keepsake", directoryHint: .isDirectory)
      }
    }

    /// Opens the store with a name in one of the app's places, and makes it if it does not exist.
    ///
    /// - Parameters:
    ///   - name: The store's name, without the extension.
    ///   - place: The place in which the app keeps the store.
    ///   - options: The options for opening the store.
    /// - Throws: The errors of ``init(at:options:)`` and ``Place/url(named:)``.
    @concurrent
    public convenience init(
      named name: String, in place: Place = .applicationSupport, options: Options = Options()
    ) async throws {
      try self.init(path: try place.url(named: name).path, options: options)
    }
  }

  extension Store.Options {
    /// Sets the protection and the exclusion from backups on a store's folder.
    ///
    /// The log, its index and each artifact are made in the folder later and inherit these attributes. They are set on folders
    /// only: setting them on the database would open it beside SQLite, and drop SQLite's locks.
    func apply(to folder: Directory) throws {
      var url = URL(filePath: folder.path, directoryHint: .isDirectory)
      if let protection {
        try FileManager.default.setAttributes(
          [.protectionKey: protection], ofItemAtPath: folder.path)
      }
      var values = URLResourceValues()
      values.isExcludedFromBackup = !isBackedUp
      try url.setResourceValues(values)
    }
  }
#endif

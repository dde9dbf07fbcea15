#if canImport(Darwin)
  public import Foundation
  import KeepsakeFiles

  extension Store {
    /// Where an app keeps its stores.
    public enum Place: Sendable, Hashable {
      /// The app's own folder for what it keeps and people don't see.
      case applicationSupport
      /// The same folder of an app group, for an app and its extensions. Call ``Store/suspend()`` in the background.
      case appGroup(String)

      /// The folder of a store of that name, without the extension; the folders above it are made.
      /// - Throws: `notFound`, where the app does not belong to the group.
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

    /// Opens the store of a name where an app keeps such things, and makes it first where there is none.
    @concurrent
    public convenience init(
      named name: String, in place: Place = .applicationSupport, options: Options = Options()
    ) async throws {
      try self.init(path: try place.url(named: name).path, options: options)
    }
  }

  extension Store.Options {
    /// Says of a store's folder what the system is to do with all that is in it.
    ///
    /// The database's log, its index and each artifact are made in it later, and take over what the folder has. It is said
    /// of folders alone: to say it of the database would be to open it beside SQLite, and to lose SQLite's locks.
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

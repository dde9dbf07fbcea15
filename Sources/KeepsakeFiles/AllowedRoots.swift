#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif
#if os(Linux)
  import CKeepsakeCrypto
#endif

/// The folders in which files that a tool or a model named may be read, and nothing else.
///
/// A path is not trusted here. It is opened component by component, so that no link and no `..` leads out of a
/// folder, whatever other processes change on the disk meanwhile.
package struct AllowedRoots: Sendable {
  private struct Root: Sendable {
    let directory: Directory
    /// The components of each way to write the folder's path.
    let spellings: [[String]]
  }

  private let roots: [Root]

  /// Opens the folders by absolute paths. Links on the way to a folder are followed once, here.
  /// - Parameter folders: The absolute paths of the folders.
  /// - Throws: `FileError`, when a folder can't be opened, or the kernel generates its files.
  package init(_ folders: [String]) throws(FileError) {
    var roots: [Root] = []
    for folder in folders { roots.append(try Self.root(folder)) }
    self.roots = roots
  }

  /// Opens a regular file for reading, if it is inside an allowed folder and not too large.
  ///
  /// The file may grow afterwards, so whoever reads it needs the limit as well.
  /// - Parameters:
  ///   - path: The absolute path of the file.
  ///   - maximumSize: The largest allowed size, in bytes.
  ///   - check: Is called with the folder and the file's status before the file is opened, and throws to refuse it.
  /// - Returns: The open file.
  /// - Throws: `FileError`, when the path is not allowed, or the file can't be opened.
  package func open(
    _ path: String, maximumSize: Int64,
    unless check: (Directory, FileStatus) throws(FileError) -> Void = { _, _ in }
  ) throws(FileError) -> FileDescriptor {
    guard let components = Self.components(of: path) else {
      throw FileError(
        code: .invalid,
        message: "Can't open '\(path)': it is not an absolute path. Give the whole path.",
        path: path)
    }
    guard let (root, rest) = find(components), let name = rest.last else {
      throw FileError(
        code: .outsideRoot,
        message: "Can't open '\(path)': it is not inside a folder that was allowed. "
          + "Allow its folder, or copy the file into one that is.",
        path: path)
    }
    var folder = root.directory
    for component in rest.dropLast() { folder = try folder.subdirectory(component) }
    guard !Self.isOfKernel(folder.raw, components) else { throw Self.kernelFile(path) }
    let file = try folder.openNamed(name) { status throws(FileError) in try check(folder, status) }
    // A single file can be mounted over another one, so the open file is checked as well.
    guard !Self.isOfKernel(file.raw, components) else { throw Self.kernelFile(path) }
    guard try file.size <= maximumSize else { throw file.tooLarge(limit: maximumSize) }
    return file
  }

  /// Returns whether a path is inside one of the folders, as far as its text tells. The disk is not looked at.
  package func contains(_ path: String) -> Bool {
    Self.components(of: path).flatMap(find) != nil
  }

  /// The folder that contains the path by its longest spelling, and the components below the folder.
  private func find(_ path: [String]) -> (Root, rest: ArraySlice<String>)? {
    var found: (root: Root, rest: ArraySlice<String>)?
    for root in roots {
      for spelling in root.spellings where Self.isPrefix(spelling, of: path) {
        let rest = path.dropFirst(spelling.count)
        if rest.count < found?.rest.count ?? .max { found = (root, rest) }
      }
    }
    return found
  }

  /// Compares bytes: Swift's `==` treats two spellings of é as equal, and the disk may not.
  private static func isPrefix(_ prefix: [String], of path: [String]) -> Bool {
    prefix.count <= path.count
      && zip(prefix, path).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }
}

extension AllowedRoots {
  private static func root(_ folder: String) throws(FileError) -> Root {
    guard let given = components(of: folder) else {
      throw FileError(
        code: .invalid,
        message: "Can't allow '\(folder)': it is not an absolute path. Give the whole path.",
        path: folder)
    }
    guard let real = unsafe realpath(folder, nil) else {
      throw FileError(errno: errno, "Can't allow '\(folder)'", path: folder)
    }
    defer { unsafe free(real) }
    let resolvedPath = unsafe String(cString: real)
    let resolved = components(of: resolvedPath) ?? []
    // The resolved path is opened, so that the folder that is compared is also the folder that is open.
    let directory = try Directory(path: resolvedPath)
    guard !isKernelFolder(resolved) else { throw kernelFile(folder) }
    return Root(directory: directory, spellings: spellings([given, resolved]))
  }

  /// The components of an absolute path, without `.` and `..`; nil for any other path.
  ///
  /// Resolving `..` by its text is right because no component may be a link.
  static func components(of path: String) -> [String]? {
    guard path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
    var result: [String] = []
    for component in path.utf8.split(separator: UInt8(ascii: "/")) {
      switch String(component) {
      case nil: return nil
      case ".": continue
      case "..": if result.popLast() == nil { return nil }
      case let name?: result.append(name)
      }
    }
    return result
  }

  /// Adds the other spelling of folders that Darwin reaches by a link in the root folder.
  static func spellings(_ paths: [[String]]) -> [[String]] {
    #if canImport(Darwin)
      paths + paths.compactMap(alias)
    #else
      paths
    #endif
  }

  /// The other name of a folder, such as `/private/tmp` for `/tmp`; nil for a folder that has one name.
  static func alias(of path: [String]) -> [String]? {
    let linked: Set = ["tmp", "var", "etc"]
    if let first = path.first, linked.contains(first) { return ["private"] + path }
    if path.count > 1, path[0] == "private", linked.contains(path[1]) {
      return Array(path.dropFirst())
    }
    return nil
  }

  private static func isKernelFolder(_ path: [String]) -> Bool {
    ["proc", "sys", "dev"].contains(path.first)
  }

  /// Returns whether the kernel generates a file: process memory, settings or devices, also where they are mounted elsewhere.
  private static func isOfKernel(_ raw: Int32, _ path: [String]) -> Bool {
    guard !isKernelFolder(path) else { return true }
    #if os(Linux)
      return kernelFileSystems.contains(keepsake_file_system(raw))
    #else
      return false
    #endif
  }

  #if os(Linux)
    private static let kernelFileSystems: Set<UInt> = [
      0x9fa0,  // proc
      0x6265_6572,  // sysfs
      0x6462_6720,  // debugfs
      0x7472_6163,  // tracefs
      0x7363_6673,  // securityfs
      0x6265_6570,  // configfs
      0x0027_e0eb, 0x6367_7270,  // cgroup, cgroup2
      0xcafe_4a11,  // bpf
      0xf97c_ff8c,  // selinuxfs
      0x6165_676c,  // pstore
      0xde5e_81e4,  // efivarfs
    ]
  #endif

  private static func kernelFile(_ path: String) -> FileError {
    FileError(
      code: .notRegular,
      message: "Can't use '\(path)': the system makes up what is there. Name a place on a disk.",
      path: path)
  }
}

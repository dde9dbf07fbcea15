extension Directory {
  /// Makes or replaces a file so that after a crash it is there whole, or as it was before.
  ///
  /// Writes beside it, syncs, renames, and syncs this folder. When it throws, the temporary file is
  /// gone; only if the last sync failed the new file may be in place without being durable.
  public func createDurably(
    _ name: String, mode: UInt16 = 0o600, contents: [UInt8]
  ) throws(FileError) {
    try check(name)
    let temporary = Self.temporaryName()
    do throws(FileError) {
      let file = try openFile(temporary, for: .creating(exclusive: true), mode: mode)
      try file.write(all: contents)
      try file.setMode(mode)
      try file.sync()
      try rename(temporary, to: self, as: name)
    } catch {
      // The first failure is the one to report; what stays behind is swept by its name.
      _ = try? unlink(temporary)
      throw FileError(
        code: error.code,
        message: "Can't create '\(path(of: name))'. \(error.message)",
        path: path(of: name), errno: error.errno)
    }
    try sync()
  }

  /// A name that nobody else uses, and that tells what it is.
  static func temporaryName() -> String {
    ".new-" + String(UInt64.random(in: 0 ... .max), radix: 16)
  }
}

extension Directory {
  /// Makes or replaces a file so that after a crash the file is either complete or as it was before.
  ///
  /// The content is written beside the file, synced and renamed, and then this folder is synced. When this throws,
  /// the temporary file is gone. Only when the last sync fails may the new file be in place without being durable.
  package func createDurably(
    _ name: String, mode: UInt16 = 0o600, contents: [UInt8]
  ) throws(FileError) {
    try check(name)
    do throws(FileError) {
      let hidden = try HiddenFile(in: self, mode: mode)
      do throws(FileError) {
        try hidden.file.write(all: contents)
        try hidden.file.setMode(mode)
        try hidden.file.sync()
        try rename(hidden.name, to: self, as: name)
      } catch {
        // The first failure is the one to report. A temporary file that stays behind is known by its name.
        _ = try? unlink(hidden.name)
        throw error
      }
    } catch {
      throw FileError(
        code: error.code,
        message: "Can't create '\(path(of: name))'. \(error.message)",
        path: path(of: name), errno: error.errno)
    }
    try sync()
  }
}

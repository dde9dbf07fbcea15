/// A file that is written under a hidden name, and is locked while its maker works on it.
///
/// The system releases the lock when the process ends in any way. So a file with such a name that nobody has locked
/// was left by a process that ended, and can be removed (``Directory/removeAbandoned(atMost:)``).
struct HiddenFile: ~Copyable, Sendable {
  let name: String
  let file: FileDescriptor

  init(in directory: Directory, mode: UInt16) throws(FileError) {
    while true {
      let name = Directory.hiddenName()
      let file = try directory.openFile(name, for: .creating(exclusive: true), mode: mode)
      if try directory.claim(name, raw: file.raw) {
        self.name = name
        self.file = file
        return
      }
    }
  }
}

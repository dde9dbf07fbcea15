import CKeepsakeSQLite

/// The beginning of each open file that Keepsake puts between SQLite and the system's file.
///
/// SQLite sees a table of functions. The system's file lies behind it in the same memory, and does everything that the
/// functions pass on.
@safe
struct FrontFile {
  /// The file as SQLite sees it, which must be the first field.
  private var file: sqlite3_file
  /// The system's own file.
  let system: UnsafeMutablePointer<sqlite3_file>

  /// The distance in bytes from the front file to the system's file, aligned for any content.
  static let ahead = 96

  /// Puts a file of ours at the start of SQLite's memory for an open file, before the place of the system's file.
  static func place<File>(
    in memory: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafePointer<sqlite3_io_methods>?,
    _ make: (FrontFile) -> File
  ) {
    precondition(MemoryLayout<File>.size <= ahead, "A file of ours has outgrown its place")
    let place = UnsafeMutableRawPointer(memory)
    let system = unsafe (place + ahead).bindMemory(to: sqlite3_file.self, capacity: 1)
    let front = unsafe FrontFile(file: sqlite3_file(pMethods: methods), system: system)
    unsafe place.bindMemory(to: File.self, capacity: 1).initialize(to: make(front))
  }

  /// Returns the place behind a front file where the system's file is to be opened.
  static func system(
    behind memory: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<sqlite3_file> {
    let place = unsafe UnsafeMutableRawPointer(memory) + ahead
    let system = unsafe place.bindMemory(to: sqlite3_file.self, capacity: 1)
    unsafe system.pointee.pMethods = nil
    return unsafe system
  }

  /// Returns whether the system's file behind a front file is open, so that SQLite has to close it.
  static func system(isOpenBehind memory: UnsafeMutablePointer<sqlite3_file>) -> Bool {
    let place = unsafe UnsafeMutableRawPointer(memory) + ahead
    return unsafe place.assumingMemoryBound(to: sqlite3_file.self).pointee.pMethods != nil
  }

  /// Calls a function of the system's file.
  func ask(
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    unsafe body(system, system.pointee.pMethods.pointee)
  }

  private static func ask(
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32
  ) -> Int32 {
    unsafe UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: FrontFile.self)
      .pointee.ask(body)
  }

  /// Makes a table of functions that pass every call on to the system's file, without shared memory and memory mapping.
  static func passingOn() -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    unsafe methods.xClose = { unsafe FrontFile.ask($0) { unsafe $1.xClose($0) } }
    unsafe methods.xRead = { file, bytes, count, offset in
      unsafe FrontFile.ask(file) { unsafe $1.xRead($0, bytes, count, offset) }
    }
    unsafe methods.xWrite = { file, bytes, count, offset in
      unsafe FrontFile.ask(file) { unsafe $1.xWrite($0, bytes, count, offset) }
    }
    unsafe methods.xTruncate = { file, size in
      unsafe FrontFile.ask(file) { unsafe $1.xTruncate($0, size) }
    }
    unsafe methods.xSync = { file, flags in
      unsafe FrontFile.ask(file) { unsafe $1.xSync($0, flags) }
    }
    unsafe methods.xFileSize = { file, size in
      unsafe FrontFile.ask(file) { unsafe $1.xFileSize($0, size) }
    }
    unsafe methods.xLock = { file, level in
      unsafe FrontFile.ask(file) { unsafe $1.xLock($0, level) }
    }
    unsafe methods.xUnlock = { file, level in
      unsafe FrontFile.ask(file) { unsafe $1.xUnlock($0, level) }
    }
    unsafe methods.xCheckReservedLock = { file, isReserved in
      unsafe FrontFile.ask(file) { unsafe $1.xCheckReservedLock($0, isReserved) }
    }
    unsafe methods.xFileControl = { file, operation, argument in
      unsafe FrontFile.ask(file) { unsafe $1.xFileControl($0, operation, argument) }
    }
    unsafe methods.xSectorSize = { file in unsafe FrontFile.ask(file) { unsafe $1.xSectorSize($0) }
    }
    unsafe methods.xDeviceCharacteristics = { file in
      unsafe FrontFile.ask(file) { unsafe $1.xDeviceCharacteristics($0) }
    }
    return methods
  }

  /// Keeps a table of functions for as long as the process lives.
  static func kept(_ methods: sqlite3_io_methods) -> UnsafePointer<sqlite3_io_methods> {
    let kept = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    unsafe kept.initialize(to: methods)
    return unsafe UnsafePointer(kept)
  }
}

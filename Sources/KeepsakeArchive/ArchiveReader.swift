package import KeepsakeFiles

#if canImport(CKeepsakeArchive)
  import CKeepsakeArchive

  /// Reads an archive, or the content of a compressed file, from its start.
  ///
  /// Of libarchive, only the reader of zip archives and the filters for gzip and zstd are used, so that other code
  /// can't be attacked. No program is started: a format for which the library would start one is refused.
  @safe
  package final class ArchiveReader {
    private let file: FileDescriptor
    private let packing: Packing
    private let library: ArchiveLibrary
    @safe private let archive: OpaquePointer
    /// Whether the last member was returned.
    private var hasEnded = false
    /// The error after which nothing more can be read; nil before it.
    private var fault: ArchiveError?

    /// The number of bytes of the file that are read at a time.
    private static let blockSize = 128 << 10
    /// The allowed compression methods of zip members. Exports use no other, and each method is code that untrusted
    /// bytes run through.
    private static let methods = ["(uncompressed)", "(deflation)"]

    /// Opens a packed file for reading.
    /// - Parameters:
    ///   - file: An open file, whose position is at its start.
    ///   - packing: The way in which the file is packed.
    /// - Throws: `ArchiveError`, when the file can't be read, or libarchive is missing.
    package init(_ file: consuming FileDescriptor, _ packing: Packing) throws(ArchiveError) {
      guard let library = ArchiveLibrary.shared else {
        throw ArchiveError(
          .unsupported,
          "libarchive is not installed, which unpacks it. Install it (on Debian: libarchive13), or unpack the file first"
        )
      }
      guard let archive = library.functions.read_new() else {
        throw ArchiveError(.unsupported, "there is no memory to unpack it")
      }
      self.file = file
      self.packing = packing
      self.library = library
      unsafe self.archive = archive
      try prepare()
      let result = unsafe library.functions.read_open_fd(archive, self.file.number, Self.blockSize)
      guard result == ARCHIVE_OK else { throw failure() }
    }

    deinit { _ = unsafe library.functions.read_free(archive) }

    /// Sets the format, so that the library does not guess it, and allows no compression inside of another.
    private func prepare() throws(ArchiveError) {
      let functions = library.functions
      let result =
        switch packing {
        case .zip: unsafe functions.read_support_format_zip(archive)
        case .gzip: unsafe functions.read_append_filter(archive, ARCHIVE_FILTER_GZIP)
        case .zstd: unsafe functions.read_append_filter(archive, ARCHIVE_FILTER_ZSTD)
        }
      // A library that was built without a filter returns a warning, and would start a program for the filter.
      guard result == ARCHIVE_OK else {
        throw ArchiveError(
          .unsupported, "the libarchive of this system can't unpack it. Unpack the file first")
      }
      if packing == .zip { return }
      guard unsafe functions.read_set_format(archive, ARCHIVE_FORMAT_RAW) == ARCHIVE_OK else {
        throw failure()
      }
    }

    /// Returns the next member; nil after the last.
    /// - Throws: `ArchiveError`, when the archive is damaged.
    package func next() throws(ArchiveError) -> ArchiveMember? {
      if let fault { throw fault }
      if hasEnded { return nil }
      var entry: OpaquePointer?
      var functions = library.functions
      let result = unsafe keepsake_archive_next(&functions, archive, &entry)
      switch result {
      case ARCHIVE_EOF:
        hasEnded = true
        return nil
      case ARCHIVE_OK, ARCHIVE_WARN: break
      default: throw end(failure())
      }
      guard let entry = unsafe entry else { throw failure() }
      return unsafe member(entry, isDoubtful: result == ARCHIVE_WARN)
    }

    private func member(_ entry: OpaquePointer, isDoubtful: Bool) -> ArchiveMember {
      let functions = library.functions
      let name = packing == .zip ? unsafe Self.text(functions.entry_pathname(entry)) : ""
      let type = unsafe functions.entry_filetype(entry)
      let kind: ArchiveMember.Kind =
        switch UInt32(type) {
        case _ where unsafe functions.entry_hardlink(entry) != nil: .link
        case keepsake_archive_regular: .file
        case keepsake_archive_folder: .folder
        case keepsake_archive_link: .link
        default: .other
        }
      let hasSize = unsafe functions.entry_size_is_set(entry) != 0
      let isEncrypted = unsafe functions.entry_is_encrypted(entry) != 0
      return ArchiveMember(
        name: name, kind: kind, size: hasSize ? unsafe functions.entry_size(entry) : nil,
        objection: objection(name, isEncrypted: isEncrypted, isDoubtful: isDoubtful))
    }

    private func objection(
      _ name: String, isEncrypted: Bool, isDoubtful: Bool
    ) -> ArchiveError? {
      if isEncrypted {
        return ArchiveError(
          .encrypted, "it is encrypted. Unpack it with its password, and import what is in it",
          member: name)
      }
      if isDoubtful {
        let what =
          message.hasPrefix("Pathname")
          ? "the archive says that its name is UTF-8, which it is not"
          : "what the archive says of it contradicts itself (\(message))"
        return ArchiveError(.damaged, what, member: name)
      }
      if packing == .zip {
        let method = unsafe Self.text(library.functions.format_name(archive))
        guard Self.methods.contains(where: method.hasSuffix) else {
          return ArchiveError(
            .unsupported,
            "it is compressed in a way that is not read here (\(method)). Unpack the archive first",
            member: name)
        }
      }
      return nil
    }

    /// Passes the bytes of the current member to a closure, piece by piece.
    /// - Throws: `ArchiveError`, when the member is damaged, and what the closure throws.
    package func read(_ body: ([UInt8]) throws -> Void) throws {
      var count: Int64 = 0
      var checksum = CRC32()
      while true {
        var start: UnsafeRawPointer?
        var size = 0
        var offset: Int64 = 0
        let result = unsafe library.functions.read_data_block(archive, &start, &size, &offset)
        if result == ARCHIVE_EOF { break }
        guard result == ARCHIVE_OK else {
          throw result == ARCHIVE_FATAL ? end(failure()) : failure()
        }
        guard size > 0 else { continue }
        guard offset == count else { throw ArchiveError(.damaged, "a part of it is missing") }
        let piece = unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: size))
        count += Int64(size)
        if packing == .gzip { checksum.add(piece) }
        try body(piece)
      }
      if packing == .gzip { try requireTrailer(checksum.value, count) }
    }

    /// Compares the checksum and size at the end of a gzip file with what was unpacked, which libarchive does not do.
    private func requireTrailer(_ checksum: UInt32, _ count: Int64) throws {
      var trailer = [UInt8](repeating: 0, count: 8)
      let end = try file.size - Int64(trailer.count)
      let read = end < 0 ? 0 : try file.read(into: &trailer, at: end)
      func number(_ range: Range<Int>) -> UInt32 {
        trailer[range].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      guard read == trailer.count, number(0..<4) == checksum,
        number(4..<8) == UInt32(truncatingIfNeeded: count)
      else {
        throw ArchiveError(
          .damaged,
          "its checksum is another: it is damaged, or several compressed files in one. Get it anew, or decompress it first"
        )
      }
    }

    /// The number of bytes of the file that were read so far.
    package var position: Int64 { unsafe library.functions.filter_bytes(archive, -1) }

    /// Notes that nothing more can be read, and returns the error.
    private func end(_ error: ArchiveError) -> ArchiveError {
      fault = error
      return error
    }

    private func failure() -> ArchiveError {
      ArchiveError(.damaged, "it is damaged or cut off (\(message)). Get it anew")
    }

    /// The library's message about its last failure.
    private var message: String {
      let text = unsafe Self.text(library.functions.error_string(archive))
      return text.isEmpty ? "it ends early" : text
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
      guard let pointer = unsafe pointer else { return "" }
      return unsafe String(cString: pointer)
    }
  }
#else
  /// Replaces the reader on systems without libarchive: every file is refused with an error that says so.
  package final class ArchiveReader {
    package init(_ file: consuming FileDescriptor, _ packing: Packing) throws(ArchiveError) {
      throw ArchiveError(
        .unsupported, "\(packing.title) is not unpacked on this system. Unpack the file first")
    }

    package func next() throws(ArchiveError) -> ArchiveMember? { nil }
    package func read(_ body: ([UInt8]) throws -> Void) throws {}
    package var position: Int64 { 0 }
  }
#endif

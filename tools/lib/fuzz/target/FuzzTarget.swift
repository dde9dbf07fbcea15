import Foundation
@testable import Keepsake

@testable import KeepsakeFormats

/// What the fuzzer calls with each of its inputs: a file of one format, which is read to its end, or a request.
///
/// The format's name stands in `KEEPSAKE_FUZZ_FORMAT`. Whatever the bytes are, reading ends, with a `FormatError` or with
/// records that are the file again.
@_cdecl("LLVMFuzzerTestOneInput")
// allow(pointer): so the fuzzer calls it
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // allow(pointer): the bytes are copied at once
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  if isRequest {
    FuzzedRequest.read(bytes)
    return 0
  }
  do {
    try FuzzedFile.shared.read(bytes)
  } catch is FormatError {
    // A file that is refused with a reason.
  } catch {
    fatalError("Reading failed with what no importer expects: \(error)")
  }
  return 0
}

/// Whether the inputs are requests to the server, which is no format of a file.
private let isRequest =
  ProcessInfo.processInfo.environment["KEEPSAKE_FUZZ_FORMAT"] == FuzzedRequest.name

/// Reads files as one format.
struct FuzzedFile {
  static let shared = FuzzedFile()

  private let codec: any Codec.Type
  /// Databases are read where they lie.
  private let place = FileManager.default.temporaryDirectory
    .appending(path: "keepsake-fuzz-\(ProcessInfo.processInfo.processIdentifier).db")

  init() {
    let name = ProcessInfo.processInfo.environment["KEEPSAKE_FUZZ_FORMAT"] ?? ""
    do { codec = try Codecs.named(name) } catch {
      fatalError("KEEPSAKE_FUZZ_FORMAT names no format: \(error)")
    }
  }

  func read(_ bytes: [UInt8]) throws {
    let file = ForeignFile(bytes, name: "fuzzed")
    _ = Codecs.format(of: try FileHead(file))
    if let codec = codec as? any DatabaseCodec.Type {
      try Data(bytes).write(to: place)
      defer { try? FileManager.default.removeItem(at: place) }
      return try Self.readAll(of: codec, ForeignFile(path: place.path))
    }
    if let codec = codec as? any PartedCodec.Type, var parts = try codec.parts(of: file) {
      while let part = try parts.next() {
        do { try Self.check(codec.read(part.file), is: nil) } catch is FormatError { continue }
      }
    }
    if let codec = codec as? any FileCodec.Type { try Self.check(codec.read(file), is: bytes) }
  }

  private static func readAll<C: DatabaseCodec>(of codec: C.Type, _ file: ForeignFile) throws {
    let contents = try C.Contents(file)
    for conversation in contents.conversations.prefix(4) {
      try check(contents.source(of: conversation).open(), is: nil)
    }
  }

  /// Reads to the end, and looks whether the records are sound.
  private static func check(_ reading: any SourceReading, is file: [UInt8]?) throws {
    var reading = reading
    var all: [UInt8] = []
    while let record = try reading.next() {
      all += record.bytes
      var end = 0
      for span in record.spans {
        precondition(span.range.lowerBound >= end, "Spans overlap or are out of order")
        end = span.range.upperBound
        precondition(end <= record.bytes.count, "A span reaches beyond its record")
        var writer = Base64Spelling.Encoder(span.spelling)
        var spelled: [UInt8] = []
        _ = span.spelling.decode(record.bytes[span.range]) { writer.add($0, to: &spelled) }
        writer.finish(to: &spelled)
        precondition(
          spelled.elementsEqual(record.bytes[span.range]),
          "Base64 is not spelled again as it was")
      }
      for item in record.entries {
        for segment in item.entry.segments {
          guard case .attachment(let index) = segment.content else { continue }
          precondition(item.attachments.indices.contains(index), "A segment has no attachment")
        }
      }
    }
    _ = reading.facts
    if let file { precondition(all == file, "The records are not the file") }
  }
}

import Keepsake

/// Gives the records and artifacts of a bundle to the store that restores its sessions.
struct BundleSource: CopySource {
  private let index: BundleIndex

  init(_ index: BundleIndex) { self.index = index }

  var format: String { BundleCodec.format.name }
  var manifest: CopyManifest { index.manifest }

  func open() -> any CopyReading { Reading(index: index) }

  func bytes(of artifact: Artifact.ID) -> ArtifactSource? {
    guard let range = index.bytes[artifact] else { return nil }
    let file = index.file
    return .pieces(size: range.upperBound - range.lowerBound) { take in
      var start = range.lowerBound
      while start < range.upperBound {
        let end = min(range.upperBound, start + 1 << 20)
        try take(file.read(start..<end))
        start = end
      }
    }
  }

  private struct Reading: CopyReading {
    let index: BundleIndex
    private var part = 0
    private var walker: JSONWalker?
    /// The offset at which the next record must begin, because nothing else may stand between records.
    private var expected: Int64 = 0

    init(index: BundleIndex) { self.index = index }

    mutating func next() throws -> CopyRecord? {
      while part < index.records.count {
        let range = index.records[part]
        if walker == nil {
          walker = JSONWalker(index.file, at: range.lowerBound)
          try walker?.open("[")
          expected = range.lowerBound + 2
        }
        if try walker?.nextElement() == true, let value = try walker?.skipValue() {
          guard value.lowerBound == expected, value.upperBound <= range.upperBound else { break }
          // A comma and a newline stand between two records.
          expected = value.upperBound + 2
          let record = try CopyFile.record(at: value, in: index.file)
          return try CopyRecord(readingTagged: record.span.bytes)
        }
        // The last record is followed by a newline, the closing bracket, and a newline.
        guard walker?.offset == expected, expected + 1 == range.upperBound,
          try index.file.read(range.lowerBound..<range.lowerBound + 2) == Array("[\n".utf8),
          try index.file.read(range.upperBound - 3..<range.upperBound) == Array("\n]\n".utf8)
        else { break }
        walker = nil
        part += 1
      }
      guard part == index.records.count else {
        throw CopyFault(
          "its member '\(BundleName.records(part + 1))' is no list of records as it should be")
      }
      // The SHA-256 was checked earlier, so the file must not have changed since.
      try index.file.requireUnchanged()
      return nil
    }
  }
}

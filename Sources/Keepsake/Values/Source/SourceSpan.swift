/// A place of base64 in the bytes of a record, whose content the store keeps as an artifact.
package struct SourceSpan: Sendable {
  /// The size below which base64 stays in the record.
  package static let minimum = 512

  package let range: Range<Int>
  package let spelling: Base64Spelling

  /// Creates a span for base64 at a range; nil if the base64 is short, or could not be written again from its bytes.
  package init?(_ range: Range<Int>, in bytes: [UInt8]) {
    guard range.count >= Self.minimum, let spelling = Base64Spelling(of: bytes[range]) else {
      return nil
    }
    self.range = range
    self.spelling = spelling
  }
}

extension ArtifactSource {
  /// Makes a source from base64 in a record, which is decoded while it is taken in.
  package static func spelled(_ text: ArraySlice<UInt8>, _ spelling: Base64Spelling)
    -> ArtifactSource
  {
    ArtifactSource(origin: .spelled(text, spelling))
  }
}

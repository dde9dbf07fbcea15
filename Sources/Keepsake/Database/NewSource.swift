import KeepsakeFiles

/// A source that an import is about to write.
struct NewSource {
  let format: String
  let name: String?
  let created: Int64
  let size: Int64
  let digest: SHA256Digest
  /// The source with whose pieces the new one begins, and the number of those pieces.
  let base: (number: Int64, count: Int)?
  /// The id of the open store that writes the source.
  let owner: [UInt8]
  /// The session that the import makes; nil if it adds to one that was there.
  let target: Int64?
  let records: Int
  /// The digest of the records up to the first prompt.
  let beginning: SHA256Digest
  /// The digest of all records.
  let identity: SHA256Digest
}

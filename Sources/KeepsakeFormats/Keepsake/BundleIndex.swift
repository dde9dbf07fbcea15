import Keepsake

/// What is in a bundle, and where.
struct BundleIndex: Sendable {
  let file: ForeignFile
  let manifest: CopyManifest
  /// The members with records, in their order.
  let records: [Range<Int64>]
  /// The artifacts' members.
  let bytes: [Artifact.ID: Range<Int64>]

  init(_ file: ForeignFile) throws {
    var scan = BundleScan(file)
    try scan.run()
    self.file = file
    manifest = scan.manifest
    records = scan.records
    bytes = scan.bytes
  }
}

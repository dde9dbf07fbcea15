import Keepsake

/// Lists the members of a bundle, with the range of each in the file.
struct BundleIndex: Sendable {
  let file: ForeignFile
  let manifest: CopyManifest
  /// The ranges of the members with records, in their order.
  let records: [Range<Int64>]
  /// The ranges of the members that hold artifacts' bytes.
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

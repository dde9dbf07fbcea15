import KeepsakeFiles

/// Checks, a page at a time, that each artifact is present in its size, and optionally hashes its bytes.
struct ArtifactCheck {
  private static let pageSize = 256
  /// The number of bytes of rows that are hashed in one snapshot, so that no snapshot is held for long.
  private static let pageBytes: Int64 = 16 << 20

  let handle: StoreHandle
  let readData: Bool
  /// Tells whether a file that can't be looked at is an error instead of a finding.
  private let isStrict: Bool
  /// The artifacts that are known to be lost, and are not reported.
  private let givenUp: Set<Artifact.ID>
  /// The given up artifacts that are indeed lost.
  private(set) var lost: Set<Artifact.ID> = []
  private var last = Int64.min

  init(
    handle: StoreHandle, readData: Bool, isStrict: Bool = false, givenUp: Set<Artifact.ID> = []
  ) {
    self.handle = handle
    self.readData = readData
    self.isStrict = isStrict
    self.givenUp = givenUp
  }

  /// Checks the next page; returns false at the end.
  mutating func page(report: inout VerifyReport) throws -> Bool {
    var files: [ArtifactRow] = []
    let isLast = try handle.read { db in try rows(in: db, leaving: &files, report: &report) }
    // Reading files takes long, so it is done outside of any snapshot.
    for row in files { try check(file: row, &report) }
    return !isLast
  }

  private mutating func rows(
    in db: Tables, leaving files: inout [ArtifactRow], report: inout VerifyReport
  ) throws -> Bool {
    let found = try db.checks.artifacts(after: last, atMost: Self.pageSize)
    var count = 0
    var read: Int64 = 0
    while read < Self.pageBytes {
      guard try found.next() else { return count < Self.pageSize }
      count += 1
      last = found.number
      report.counts.artifacts += 1
      let row: ArtifactRow
      do { row = try found.artifact() } catch let error as KeepsakeError {
        report.damaged("artifact number \(last)", error.failure)
        continue
      }
      switch row.place {
      case .file: files.append(row)
      case .row:
        guard let size = found.storedSize else {
          tell(row, "Its bytes are gone.", &report)
          continue
        }
        if size != row.size {
          tell(row, "It should have \(row.size) bytes and has \(size).", &report)
        } else if readData {
          read += row.size
          try check(bytesOf: row, in: db, &report)
        }
      }
    }
    return false
  }

  private mutating func check(
    bytesOf row: ArtifactRow, in db: Tables, _ report: inout VerifyReport
  ) throws {
    guard let bytes = try db.checks.bytes(of: row.number) else { return }
    report.counts.bytesRead += Int64(bytes.count)
    if bytes.digest != row.digest {
      tell(row, "Its bytes were altered: they are not the ones that its name promises.", &report)
    }
  }

  private mutating func check(file row: ArtifactRow, _ report: inout VerifyReport) throws {
    var fault: String?
    do {
      let (folder, file) = try handle.artifacts.shard(of: row.digest)
      let status = try folder.status(file)
      if status?.isRegular != true {
        fault = "Its file is gone."
      } else if let size = status?.size, size != row.size {
        fault = "Its file should have \(row.size) bytes and has \(size)."
      } else if readData {
        let (digest, size) = try Ingest.hash(folder.openFile(file, for: .reading))
        report.counts.bytesRead += size
        if digest != row.digest {
          fault = "Its bytes were altered: they are not the ones that its name promises."
        }
      }
    } catch let error as FileError {
      // The folder of its file is gone, too.
      if error.code == .notFound {
        fault = "Its file is gone."
      } else if isStrict {
        throw error
      } else {
        fault = "Its file can't be read: \(error.message)"
      }
    }
    guard let fault else { return }
    // Somebody may have deleted it since its row was read.
    if try handle.read({ try handle.artifacts.row(row.digest, in: $0) }) != nil {
      tell(
        row, fault, &report,
        remedy: "Restore its file from a backup, or attach the original again.")
    }
  }

  /// Reports damage of an artifact, unless the artifact is given up.
  private mutating func tell(
    _ row: ArtifactRow, _ fault: String, _ report: inout VerifyReport,
    remedy: String = "Keep the store as it is, and restore a backup whose heads you trust."
  ) {
    let id = Artifact.ID(row.digest)
    if givenUp.contains(id) {
      lost.insert(id)
    } else {
      report.damaged(id.description, fault, remedy: remedy)
    }
  }
}

// MARK: - Files without a row

extension ArtifactCheck {
  /// Reports files that no row names, which a crash leaves between a file and its row.
  func findOrphans(report: inout VerifyReport) throws {
    let layout = handle.layout
    guard try layout.folder.exists(StoreLayout.artifacts) else { return }
    let root = try layout.folder.subdirectory(StoreLayout.artifacts, create: false)
    for shard in try root.names() {
      try Task.checkCancellation()
      guard try root.status(shard)?.isDirectory == true else {
        orphan(shard, &report)
        continue
      }
      let names = try root.subdirectory(shard, create: false).names()
      for name in try handle.read({ db in try names.filter { try !isKnown(shard + $0, in: db) } }) {
        orphan("\(shard)/\(name)", &report)
      }
    }
  }

  private func isKnown(_ hex: String, in db: Tables) throws -> Bool {
    guard let digest = SHA256Digest(hex: hex), digest.hex == hex else { return false }
    return try handle.artifacts.row(digest, in: db)?.place == .file
  }

  private func orphan(_ name: String, _ report: inout VerifyReport) {
    report.harmless(
      "the file artifacts/\(name)", "No artifact is kept in it.",
      action: .sweep)
  }
}

import KeepsakeFiles
import KeepsakeSQLite

/// The statements over the tables of artifacts, their bytes, and artifacts that are taken in.
struct ArtifactTable {
  let db: Connection
}

extension Tables {
  var artifacts: ArtifactTable { ArtifactTable(db: connection) }
}

// MARK: - Finding

extension ArtifactTable {
  /// Finds an artifact by its number.
  func row(number: Int64) throws -> ArtifactRow? {
    let find = try db.prepare(
      "SELECT f.number, f.digest, f.size, f.place, f.type, f.width, f.height FROM artifact AS f WHERE f.number = ?"
    )
    find.bind(number)
    return try find.step() ? ArtifactRow(find) : nil
  }

  /// Finds an artifact by its digest.
  func row(_ digest: SHA256Digest) throws -> ArtifactRow? {
    let find = try db.prepare(
      "SELECT f.number, f.digest, f.size, f.place, f.type, f.width, f.height FROM artifact AS f WHERE f.digest = ?"
    )
    find.bind(digest)
    return try find.step() ? ArtifactRow(find) : nil
  }

  /// Finds the number of an artifact by its digest.
  func number(of digest: SHA256Digest) throws -> Int64? {
    let find = try db.prepare("SELECT number FROM artifact WHERE digest = ?")
    find.bind(digest)
    return try find.step() ? find.int64() : nil
  }

  /// Finds the digest of an artifact by its number.
  func digest(of number: Int64) throws -> SHA256Digest? {
    let find = try db.prepare("SELECT digest FROM artifact WHERE number = ?")
    find.bind(number)
    return try find.step() ? find.digest() : nil
  }

  /// Finds the size of an artifact by its number.
  func size(of number: Int64) throws -> Int? {
    let find = try db.prepare("SELECT size FROM artifact WHERE number = ?")
    find.bind(number)
    return try find.step() ? find.int(in: .size) : nil
  }

  /// Returns whether there are no artifacts.
  func isEmpty() throws -> Bool {
    try db.integer("SELECT EXISTS (SELECT 1 FROM artifact)") == 0
  }

  /// Returns whether the artifact with a number has a digest.
  func isStored(_ number: Int64, as digest: SHA256Digest) throws -> Bool {
    let find = try db.prepare("SELECT 1 FROM artifact WHERE number = ? AND digest = ?")
    find.bind(number)
    find.bind(digest)
    return try find.step()
  }
}

// MARK: - Writing

extension ArtifactTable {
  /// Inserts an artifact without its bytes, and returns its number.
  func insert(
    _ digest: SHA256Digest, size: Int64, place: Artifact.Place, created: Int64, type: MediaType,
    pixels: PixelSize?
  ) throws -> Int64 {
    let insert = try db.prepare(
      "INSERT INTO artifact (digest, size, place, created, type, width, height) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    insert.bind(digest)
    insert.bind(size)
    insert.bind(place)
    insert.bind(created)
    insert.bind(type.description)
    insert.bind(pixels?.width)
    insert.bind(pixels?.height)
    try insert.run()
    return try Tables(db).insertedRow(in: .row)
  }

  /// Inserts the bytes of a small artifact.
  func insert(bytes: [UInt8], of number: Int64) throws {
    let blob = try db.prepare("INSERT INTO blob (number, bytes) VALUES (?, ?)")
    blob.bind(number)
    try blob.run(binding: bytes)
  }

  /// Inserts or replaces the bytes of a small artifact.
  func replace(bytes: [UInt8], of number: Int64) throws {
    let replace = try db.prepare("INSERT OR REPLACE INTO blob (number, bytes) VALUES (?, ?)")
    replace.bind(number)
    try replace.run(binding: bytes)
  }

  /// Stores another size of an artifact.
  func store(size: Int64, of number: Int64) throws {
    let update = try db.prepare("UPDATE artifact SET size = ? WHERE number = ?")
    update.bind(size)
    update.bind(number)
    try update.run()
  }
}

import KeepsakeFiles
import KeepsakeSQLite

/// A row of the table `artifact`.
struct ArtifactRow {
  /// The columns from which a row is read, of the table with the alias `f`.
  static let columns = "f.number, f.digest, f.size, f.place, f.type, f.width, f.height"

  let number: Int64
  let digest: SHA256Digest
  let size: Int64
  let place: Artifact.Place
  let type: String?
  let pixels: PixelSize?

  init(_ row: borrowing Statement, from column: Int = 0) throws {
    number = row.int64(column)
    guard let digest = row.digest(column + 1),
      let place = Artifact.Place(rawValue: row.int(column + 3))
    else {
      throw KeepsakeError(
        .damaged, "Artifact \(number) is not described as it should be.", remedy: .verify)
    }
    self.digest = digest
    self.place = place
    size = try row.int64(column + 2, in: .size)
    type = row.optionalText(column + 4)
    pixels =
      if let width = row.optionalInt(column + 5), let height = row.optionalInt(column + 6) {
        PixelSize(width: width, height: height)
      } else { nil }
  }
}

import Keepsake

/// A session in a file that holds several.
struct FilePart {
  let file: ForeignFile
  /// The number of the part's line or element in the file, counted from 1.
  let number: Int
  /// The number of bytes of the file up to the end of the part.
  let end: Int64
}

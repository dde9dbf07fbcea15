extension ImportScan {
  /// A session that a file continues, with what the store has of the file.
  struct Growth {
    let session: Session
    /// The number of entries that the session had when it was compared.
    let end: Int
    let known: Known
    /// The position at which the file goes its own way, and becomes a fork of the session, which shares the entries before
    /// it; nil if the session itself grows.
    var parting: Int?

    enum Known {
      /// The file's first records are the newest stored file's, which are these.
      case records([SourcePiece.Outline])
      /// The positions of the file's first entries, of those that say something else in the file, and of those that were
      /// erased.
      case entries([Int], changed: Set<Int>, erased: Set<Int>)
    }
  }
}

import Keepsake

/// A decoder of files that grow, whose state is stored and continues when the file has grown.
protocol LastingDecoder: RecordDecoder, Codable {
  /// The version of the stored state, which increases with each change of it, so that other versions are not
  /// continued.
  static var edition: Int { get }

  /// Whether a state that was read from the database can be one that this decoder stored.
  ///
  /// The database may be damaged. A state that is not plausible is dropped, and the file is read from its start.
  var isPlausible: Bool { get }
}

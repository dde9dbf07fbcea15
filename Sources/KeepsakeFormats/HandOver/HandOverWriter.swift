import Keepsake

/// Turns the entries that a model is to be given into the lines of an agent's file.
protocol HandOverWriter {
  /// The lines that stand before all entries.
  mutating func beginning() -> [OutgoingRecord]

  /// Takes an entry, and returns the lines that are complete now.
  mutating func lines(with entry: OutgoingEntry, _ losses: inout Losses) -> [OutgoingRecord]

  /// The lines that stand after all entries.
  mutating func rest(_ losses: inout Losses) -> [OutgoingRecord]
}

import KeepsakeBenchReport

/// Something of a hub that is measured: it gives one row or several.
struct HubMeasure: Measured, Sendable {
  let names: [String]
  /// Tells whether it counts what is the same in each pass, and takes no time of it, so that one pass is enough.
  var isCounted = false
  let run: @Sendable (HubShop, [String]) async throws -> [Row]

  static let all: [HubMeasure] = [
    append, distantAppend, tasks, processes, oneSession, firstRead, firstJoin, mirrorAppend,
    mirrorReading,
  ]
}

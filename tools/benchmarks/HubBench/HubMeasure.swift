import KeepsakeBenchReport

/// Something of a hub that is measured: it gives one row or several.
struct HubMeasure: Measured, Sendable {
  let names: [String]
  let run: @Sendable (HubShop, [String]) async throws -> [Row]

  static let all: [HubMeasure] = [
    append, distantAppend, tasks, processes, oneSession, firstRead, firstJoin, mirrorAppend,
    mirrorReading,
  ]
}

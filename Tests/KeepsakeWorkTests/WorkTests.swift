import Testing

@Suite("What everyday work costs, in counts")
struct WorkTests {
  @Test func `nothing costs more than its limit`() throws {
    let counts = try WorkCounts()
    #expect(counts.excesses == [])
    #expect(Set(counts.work.keys) == Set(WorkLimits.all.map(\.work)))
  }

  @Test func `what is done twice exceeds the limits of each piece of work`() throws {
    let twice = try WorkCounts(times: 2)
    for limit in WorkLimits.all {
      for count in limit.counts(build: twice.build).keys {
        // What there is none of, there is none of twice.
        guard limit.counts(build: twice.build)[count] != 0 else { continue }
        #expect(
          twice.excesses.contains { $0.hasPrefix("\(limit.work): \(count) ") },
          "The limit of \(count) for '\(limit.work)' is so high that it guards nothing.")
      }
    }
  }
}

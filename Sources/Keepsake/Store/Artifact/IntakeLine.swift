import KeepsakeFiles

/// Takes in several sources on several threads, because most of the time goes into waiting for the disk.
///
/// The threads are separate from tasks, because the pool that all tasks share has one thread for each processor and none to
/// spare for waiting.
final class IntakeLine: Sendable {
  /// The most threads that help all callers of a store at one moment.
  ///
  /// For 100 files of 1 MB on two processors: no helper reaches 90 MB/s, three 119, seven 138, fifteen 123. Each thread may
  /// hold 4 MB.
  static let helperLimit = 7

  /// The sources left to prepare, and the results so far.
  private struct State {
    /// The indexes of large sources, for any free thread.
    var shared: ArraySlice<Int>
    /// The indexes of the other sources, for the caller's own thread.
    var own: ArraySlice<Int>
    var prepared: [PreparedArtifact?]
    var failure: (any Error)?
  }

  private let sources: [ArtifactSource]
  private let artifacts: Artifacts
  private let state: Locked<State>
  /// The number of sources that are large enough for another thread.
  let sharedCount: Int

  init(_ sources: [ArtifactSource], into artifacts: Artifacts) {
    self.sources = sources
    self.artifacts = artifacts
    let isShared = sources.map(\.isWorthThread)
    let shared = sources.indices.filter { isShared[$0] }
    sharedCount = shared.count
    state = Locked(
      State(
        shared: shared[...], own: sources.indices.filter { !isShared[$0] }[...],
        prepared: Array(repeating: nil, count: sources.count)))
  }

  /// Takes in large sources until none is left or one failed.
  func help() { work { $0.shared.popFirst() } }

  /// Takes in all sources that no other thread takes, unless the caller was cancelled.
  func work(isOver: () -> Bool) {
    work { state in
      if isOver() { state.failure = state.failure ?? CancellationError() }
      return state.failure == nil ? state.own.popFirst() ?? state.shared.popFirst() : nil
    }
  }

  private func work(taking next: (inout State) -> Int?) {
    while let index = state.withLock({ $0.failure == nil ? next(&$0) : nil }) {
      do {
        let prepared = try artifacts.prepareNow(sources[index])
        state.withLock { $0.prepared[index] = prepared }
      } catch {
        state.withLock { $0.failure = $0.failure ?? error }
      }
    }
  }

  /// Returns the prepared artifacts in the order of the sources, with nil for chunks; throws the first error.
  func prepared() throws -> [PreparedArtifact?] {
    try state.withLock { state throws in
      if let failure = state.failure { throw failure }
      return state.prepared
    }
  }
}

extension Artifacts {
  /// Prepares several sources, and returns the results in order.
  ///
  /// Large sources are prepared a few at a time. Chunks come last, one source after the other, because several sequences may
  /// read from one connection. After an error nothing more is begun, and what was taken in is removed.
  func prepare(_ sources: [ArtifactSource], isCancellable: Bool) async throws -> [PreparedArtifact]
  {
    var prepared = try prepareTogether(sources) { isCancellable && Task.isCancelled }
    for index in sources.indices where prepared[index] == nil {
      if isCancellable { try Task.checkCancellation() }
      prepared[index] = try await prepare(sources[index])
    }
    return prepared.compactMap(\.self)
  }

  private func prepareTogether(_ sources: [ArtifactSource], isOver: () -> Bool) throws
    -> [PreparedArtifact?]
  {
    let line = IntakeLine(sources, into: self)
    let helpers = takeHelpers(atMost: line.sharedCount - 1)
    defer { giveBack(helpers: helpers) }
    let threads = (0..<helpers).compactMap { _ in
      // Without the thread this is slower, and equally right.
      try? WorkerThread(starting: "keepsake.intake") { line.help() }
    }
    line.work(isOver: isOver)
    for thread in threads { thread.join() }
    return try line.prepared()
  }

  private func takeHelpers(atMost count: Int) -> Int {
    helpers.withLock { helpers in
      let taken = max(0, min(count, IntakeLine.helperLimit - helpers))
      helpers += taken
      return taken
    }
  }

  private func giveBack(helpers count: Int) { helpers.withLock { $0 -= count } }
}

extension ArtifactSource {
  /// The size above which a source that is copied or decoded in memory is prepared only one at a time.
  private static let copyLimit = 8 << 20

  /// Tells whether the source is large, so that preparing it is mostly waiting, and needs little memory.
  fileprivate var isWorthThread: Bool {
    let limit = Artifact.inlineLimit
    return switch origin {
    case .bytes(let bytes): bytes.count > limit
    case .data(let data): data.count > limit && data.count <= Self.copyLimit
    case .base64(let text): text.utf8.count > limit && text.utf8.count <= Self.copyLimit
    case .text(let text): text.utf8.count > limit
    case .spelled(let text, let spelling): spelling.size(of: text) > limit
    // A file whose status can't be read fails later, when it is opened.
    case .file(let path): (FileStatus(path: path)?.size ?? 0) > Int64(limit)
    case .descriptor(let file): file.use { (try? $0.status().size) ?? 0 } > Int64(limit)
    case .pieces(let size, _): size > Int64(limit)
    case .chunks, .known: false
    }
  }
}

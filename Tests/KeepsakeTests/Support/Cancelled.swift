/// Runs in a task that is cancelled before the body begins.
func cancelled<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) async throws
  -> Result
{
  let task = Task {
    while !Task.isCancelled { await Task.yield() }
    return try await body()
  }
  task.cancel()
  return try await task.value
}

import KeepsakeFiles

extension FileLock {
  /// Takes the lock once nobody holds it any more who keeps others out. The wait holds no thread.
  ///
  /// - Parameters:
  ///   - kind: Whether others may hold the lock at the same time.
  ///   - patience: The longest time to wait.
  /// - Returns: Whether the lock was taken.
  func take(_ kind: Kind, within patience: Duration) async throws -> Bool {
    let deadline = Instant.now.advanced(by: patience)
    while try !tryLock(kind) {
      guard Instant.now < deadline else { return false }
      try await Task.sleep(for: .milliseconds(10))
    }
    return true
  }

  /// Runs a body, and lets go of the lock afterwards, which was taken before.
  func holding<Result>(_ body: () async throws -> Result) async throws -> Result {
    let result: Result
    do { result = try await body() } catch {
      // The error of the body matters more; closing the file lets go of the lock, too.
      _ = try? unlock()
      throw error
    }
    try unlock()
    return result
  }
}

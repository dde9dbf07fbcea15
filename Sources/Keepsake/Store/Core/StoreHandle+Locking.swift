import KeepsakeFiles

extension StoreHandle {
  /// Takes a lock of the store. The wait for others who hold the lock holds no thread.
  ///
  /// - Parameters:
  ///   - path: The path of the lock file.
  ///   - kind: Whether others may hold the lock at the same time.
  ///   - patience: The longest time to wait.
  /// - Returns: The lock; nil if somebody else held it all the time.
  func lock(_ path: String, _ kind: FileLock.Kind, patience: Duration) async throws -> FileLock? {
    do {
      let lock = try FileLock(path: path)
      let deadline = Instant.now.advanced(by: patience)
      while try !lock.tryLock(kind) {
        guard Instant.now < deadline else { return nil }
        try await Task.sleep(for: .milliseconds(10))
      }
      return lock
    } catch { throw KeepsakeError.wrap(error, store: layout.path) }
  }

  /// Takes a lock of the store within the store's patience.
  ///
  /// - Parameters:
  ///   - path: The path of the lock file.
  ///   - kind: Whether others may hold the lock at the same time.
  ///   - message: The message of the error for a lock that somebody else held all the time.
  /// - Throws: A ``KeepsakeError`` with the code `locked`.
  func lock(_ path: String, _ kind: FileLock.Kind, orSay message: String) async throws -> FileLock {
    let lock = try await lock(path, kind, patience: options.patience)
    guard let lock else { throw KeepsakeError(.locked, message, object: layout.path) }
    return lock
  }
}

extension FileLock {
  /// Runs a body while the lock is held, and lets go of the lock afterwards.
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

#if canImport(CKeepsakeCurl)
  package import Keepsake
  import KeepsakeFiles

  /// Carries requests by libcurl, on threads of its own, because each of them waits for the network.
  package final class CurlTransport: ObjectTransport {
    /// The most requests at once.
    package static let limit = 16

    private let library: CurlLibrary
    private let certificates: String?
    private let threads: HubThreads
    /// Handles that nobody uses, with their connections.
    private let free = Locked<[CurlHandle]>([])

    /// Creates a transport.
    /// - Parameter certificates: The file of certificates to check servers with; nil for the system's.
    /// - Throws: An error that says that libcurl is missing.
    package init(certificates: String? = nil) throws(KeepsakeError) {
      guard let library = CurlLibrary.shared else {
        throw KeepsakeError(
          .notFound,
          "Can't use a hub in a bucket: libcurl is not installed. Install it (on Debian: libcurl4)."
        )
      }
      self.library = library
      self.certificates = certificates
      threads = HubThreads(
        closed: KeepsakeError(.closed, "The connections are closed."), limit: Self.limit)
    }

    deinit { threads.end() }

    package func send(_ call: ObjectCall) async throws(TransportFault) -> ObjectAnswer {
      do { return try await threads.run { [self] in try perform(call) } } catch {
        throw error as? TransportFault ?? TransportFault(.lasting, "\(error)")
      }
    }

    package func close() async {
      await threads.close()
      free.withLock { $0.removeAll() }
    }

    private func perform(_ call: ObjectCall) throws(TransportFault) -> ObjectAnswer {
      let kept = free.withLock { $0.popLast() }
      guard let handle = kept ?? CurlHandle(library, certificates: certificates) else {
        throw TransportFault(.lasting, "there is no memory for a connection")
      }
      defer { free.withLock { $0.append(handle) } }
      return try handle.perform(call)
    }
  }
#endif

#if canImport(CKeepsakeCurl)
  import CKeepsakeCurl

  /// A handle of libcurl, with the connections that it keeps. One thread at a time uses it.
  @safe
  final class CurlHandle: @unchecked Sendable {
    // `@unchecked`: the transport hands it to one thread at a time.
    private static let connectTimeout = 10_000
    /// The time after which a transfer without a byte is given up, in seconds.
    private static let stall = 20

    private let functions: keepsake_curl_library
    @safe private let handle: UnsafeMutableRawPointer
    private let certificates: String?
    /// The text of the last error, which libcurl writes.
    @safe private let message: UnsafeMutablePointer<CChar>

    /// Creates a handle; nil where there is no memory.
    /// - Parameters:
    ///   - library: The loaded library.
    ///   - certificates: The file of certificates to check servers with; nil for the system's.
    init?(_ library: CurlLibrary, certificates: String?) {
      guard let handle = library.functions.easy_init() else { return nil }
      functions = library.functions
      unsafe self.handle = handle
      self.certificates = certificates
      message = UnsafeMutablePointer<CChar>.allocate(capacity: keepsake_curl_error_size)
      unsafe message.initialize(repeating: 0, count: keepsake_curl_error_size)
    }

    deinit {
      unsafe functions.easy_cleanup(handle)
      unsafe message.deallocate()
    }

    /// Sends a request and waits for its answer.
    func perform(_ call: ObjectCall) throws(TransportFault) -> ObjectAnswer {
      let receiver = CurlReceiver(largest: call.largestAnswer)
      // The handle keeps its connections when it is reset.
      unsafe functions.easy_reset(handle)
      let list = try unsafe headerList(call.headers)
      defer { unsafe functions.slist_free_all(list) }
      // An empty array has no address, which libcurl would take for a body that is still to come.
      let body = call.body.isEmpty ? [0] : call.body
      let code = unsafe body.withUnsafeBytes { body in
        withExtendedLifetime(receiver) {
          let settings = unsafe set(call, list, body: body.baseAddress, receiver)
          guard settings == CURLE_OK else { return settings }
          message.pointee = 0
          return unsafe functions.easy_perform(handle)
        }
      }
      guard code == CURLE_OK else { throw fault(code, receiver) }
      guard receiver.isHeadWhole else {
        throw TransportFault(.passing, "the connection ended within the head of the answer")
      }
      let status = unsafe withUnsafePointer(to: functions) {
        unsafe keepsake_curl_status($0, handle)
      }
      return ObjectAnswer(status: status, headers: receiver.headers, body: receiver.body)
    }

    private func headerList(
      _ headers: [String: String]
    ) throws(TransportFault) -> UnsafeMutablePointer<curl_slist>? {
      var list: UnsafeMutablePointer<curl_slist>?
      // libcurl adds some headers by itself; an empty one takes such a header away.
      for line in headers.map({ "\($0.key): \($0.value)" }) + ["expect:", "accept:"] {
        guard let longer = unsafe functions.slist_append(list, line) else {
          unsafe functions.slist_free_all(list)
          throw TransportFault(.lasting, "there is no memory for the request")
        }
        unsafe list = longer
      }
      return unsafe list
    }

    private func set(
      _ call: ObjectCall, _ headers: UnsafeMutablePointer<curl_slist>?,
      body: UnsafeRawPointer?, _ receiver: CurlReceiver
    ) -> CURLcode {
      unsafe withUnsafePointer(to: functions) { library in
        let milliseconds = Int(call.timeout / .milliseconds(1))
        var numbers: [(CURLoption, Int)] = [
          (CURLOPT_NOSIGNAL, 1), (CURLOPT_PATH_AS_IS, 1), (CURLOPT_FOLLOWLOCATION, 0),
          (CURLOPT_HTTP_VERSION, keepsake_curl_http_1_1),
          (CURLOPT_PROTOCOLS, keepsake_curl_protocols),
          (CURLOPT_CONNECTTIMEOUT_MS, Self.connectTimeout), (CURLOPT_TIMEOUT_MS, milliseconds),
          (CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, Self.stall),
          (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_TCP_NODELAY, 1),
        ]
        let marking = unsafe keepsake_curl_keep_to_itself(library, handle)
        guard marking == CURLE_OK else { return marking }
        var texts = [(CURLOPT_URL, call.url)]
        if let certificates { texts.append((CURLOPT_CAINFO, certificates)) }
        switch call.method {
        case "GET": numbers.append((CURLOPT_HTTPGET, 1))
        case "HEAD": numbers.append((CURLOPT_NOBODY, 1))
        case "DELETE": texts.append((CURLOPT_CUSTOMREQUEST, "DELETE"))
        default:
          numbers.append((CURLOPT_POST, 1))
          texts.append((CURLOPT_CUSTOMREQUEST, call.method))
        }
        for (option, value) in numbers {
          let code = unsafe keepsake_curl_set_number(library, handle, option, value)
          guard code == CURLE_OK else { return code }
        }
        for (option, value) in texts {
          let code = unsafe keepsake_curl_set_text(library, handle, option, value)
          guard code == CURLE_OK else { return code }
        }
        if call.method == "PUT" || call.method == "POST" {
          let size = Int64(call.body.count)
          let code = unsafe keepsake_curl_set_size(
            library, handle, CURLOPT_POSTFIELDSIZE_LARGE, size)
          guard code == CURLE_OK else { return code }
          unsafe _ = keepsake_curl_set_address(library, handle, CURLOPT_POSTFIELDS, body)
        }
        unsafe _ = keepsake_curl_set_address(library, handle, CURLOPT_HTTPHEADER, headers)
        unsafe _ = keepsake_curl_set_address(library, handle, CURLOPT_ERRORBUFFER, message)
        return unsafe setTakers(library, receiver)
      }
    }

    private func setTakers(
      _ library: UnsafePointer<keepsake_curl_library>, _ receiver: CurlReceiver
    ) -> CURLcode {
      unsafe keepsake_curl_set_takers(
        library, handle,
        { bytes, size, count, taker in
          guard let bytes = unsafe bytes, let taker = unsafe taker else { return 0 }
          let receiver = unsafe Unmanaged<CurlReceiver>.fromOpaque(taker).takeUnretainedValue()
          let line = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: size * count))
          return receiver.takeHead(line) ? size * count : 0
        },
        { bytes, size, count, taker in
          guard let bytes = unsafe bytes, let taker = unsafe taker else { return 0 }
          let receiver = unsafe Unmanaged<CurlReceiver>.fromOpaque(taker).takeUnretainedValue()
          let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
          return unsafe receiver.takeBody(piece) ? size * count : 0
        }, Unmanaged.passUnretained(receiver).toOpaque())
    }

    private func fault(_ code: CURLcode, _ receiver: CurlReceiver) -> TransportFault {
      if receiver.isTooLarge {
        return TransportFault(.lasting, "its answer is larger than it can be")
      }
      var reason = unsafe String(cString: message)
      if reason.isEmpty, let text = functions.easy_strerror(code) {
        reason = unsafe String(cString: text)
      }
      let lasting = [
        CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_UNSUPPORTED_PROTOCOL,
        CURLE_URL_MALFORMAT, CURLE_OUT_OF_MEMORY, CURLE_NOT_BUILT_IN, CURLE_FAILED_INIT,
        CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
      ]
      let unreached = [
        CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
      ]
      return TransportFault(
        lasting.contains(code) ? .lasting : unreached.contains(code) ? .unreached : .passing,
        reason)
    }
  }
#endif

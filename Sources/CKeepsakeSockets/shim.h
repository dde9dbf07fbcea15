#pragma once

// Sockets: addresses, which Swift reaches only by casting pointers from one structure to another, and calls of Linux
// that Swift's own module of the C library leaves out. Each function gives -1 with errno where it fails.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/sendfile.h>
int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length, int flags);
#endif

#ifndef __linux__
/// Has a socket be as Linux makes it at once: programs started by this process do not inherit it, and it does not block.
/// Sending to a side that is gone raises no signal, for which Linux has a flag of each call.
static inline int keepsake_prepared(int fd) {
  if (fd < 0) return -1;
  int on = 1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
#ifdef SO_NOSIGPIPE
  setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return fd;
}
#endif

/// A new socket that programs started by this process do not inherit, and that does not block.
static inline int keepsake_socket(int family) {
#ifdef __linux__
  return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
  return keepsake_prepared(socket(family, SOCK_STREAM, 0));
#endif
}

/// Closes a socket and keeps the error that was there before.
static inline int keepsake_socket_failed(int fd) {
  int error = errno;
  if (fd >= 0) close(fd);
  errno = error;
  return -1;
}

/// An address of IPv4 or IPv6, by its family.
union keepsake_address {
  struct sockaddr any;
  struct sockaddr_in four;
  struct sockaddr_in6 six;
};

/// Reads an address in digits; gives its length, or 0 with errno.
static inline socklen_t keepsake_ip_address(const char *text, int port, union keepsake_address *address) {
  memset(address, 0, sizeof *address);
  if (inet_pton(AF_INET, text, &address->four.sin_addr) == 1) {
    address->four.sin_family = AF_INET;
    address->four.sin_port = htons((uint16_t)port);
    return sizeof address->four;
  }
  if (inet_pton(AF_INET6, text, &address->six.sin6_addr) == 1) {
    address->six.sin6_family = AF_INET6;
    address->six.sin6_port = htons((uint16_t)port);
    return sizeof address->six;
  }
  errno = EINVAL;
  return 0;
}

/// Listens at a port of an address in digits, of IPv4 or IPv6; port 0 is any that is free.
static inline int keepsake_listen_ip(const char *text, int port) {
  union keepsake_address address;
  socklen_t length = keepsake_ip_address(text, port, &address);
  if (!length) return -1;
  int fd = keepsake_socket(address.any.sa_family), on = 1;
  if (fd < 0) return -1;
  // Connections of a server that ended a moment ago do not keep its port from the next one.
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // An address of IPv6 is that one, and does not take clients of IPv4 as well.
  if (address.any.sa_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(fd, &address.any, length) != 0 || listen(fd, 512) != 0) return keepsake_socket_failed(fd);
  return fd;
}

/// Begins to connect to a port of an address in digits; the socket is ready to send when that is done.
static inline int keepsake_connect_ip(const char *text, int port) {
  union keepsake_address address;
  socklen_t length = keepsake_ip_address(text, port, &address);
  if (!length) return -1;
  int fd = keepsake_socket(address.any.sa_family);
  if (fd < 0) return -1;
  if (connect(fd, &address.any, length) != 0 && errno != EINPROGRESS) return keepsake_socket_failed(fd);
  return fd;
}

/// The error of a connection that was begun; 0 where there is none.
static inline int keepsake_socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

/// The port at which a socket listens; 0 for one that has no port.
static inline int keepsake_socket_port(int fd) {
  union keepsake_address found;
  socklen_t length = sizeof found;
  if (getsockname(fd, &found.any, &length) != 0) return -1;
  if (found.any.sa_family == AF_INET) return ntohs(found.four.sin_port);
  if (found.any.sa_family == AF_INET6) return ntohs(found.six.sin6_port);
  return 0;
}

/// One end of a connection: the address in words of four bytes as they lie in memory, and the port.
struct keepsake_endpoint {
  uint32_t address[4];
  int words;
  int port;
};

static inline int keepsake_endpoint_of(const union keepsake_address *found, struct keepsake_endpoint *end) {
  memset(end, 0, sizeof *end);
  if (found->any.sa_family == AF_INET) {
    memcpy(end->address, &found->four.sin_addr, 4);
    end->words = 1;
    end->port = ntohs(found->four.sin_port);
    return 0;
  }
  if (found->any.sa_family != AF_INET6) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  memcpy(end->address, &found->six.sin6_addr, 16);
  end->words = 4;
  end->port = ntohs(found->six.sin6_port);
  return 0;
}

/// Both ends of a connection over IP.
static inline int keepsake_endpoints(int fd, struct keepsake_endpoint *own, struct keepsake_endpoint *peer) {
  union keepsake_address address;
  socklen_t length = sizeof address;
  if (getsockname(fd, &address.any, &length) != 0 || keepsake_endpoint_of(&address, own) != 0) return -1;
  length = sizeof address;
  return getpeername(fd, &address.any, &length) != 0 ? -1 : keepsake_endpoint_of(&address, peer);
}

/// The address of a socket in the file system; 0 where the path is too long for one.
static inline int keepsake_unix_address(const char *path, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address->sun_path) {
    errno = ENAMETOOLONG;
    return 0;
  }
  strcpy(address->sun_path, path);
  return 1;
}

/// Makes a socket in the file system that only its owner may use, and listens at it.
static inline int keepsake_listen_unix(const char *path) {
  struct sockaddr_un address;
  if (!keepsake_unix_address(path, &address)) return -1;
  int fd = keepsake_socket(AF_UNIX);
  if (fd < 0) return -1;
  if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0) return keepsake_socket_failed(fd);
  // Nobody can connect before somebody listens, so nobody did while the mode was another.
  if (chmod(path, 0600) != 0 || listen(fd, 512) != 0) {
    int error = errno;
    unlink(path);
    errno = error;
    return keepsake_socket_failed(fd);
  }
  return fd;
}

/// Connects to a socket in the file system: a new socket, or -1 (ECONNREFUSED where nobody listens).
static inline int keepsake_connect_unix(const char *path) {
  struct sockaddr_un address;
  if (!keepsake_unix_address(path, &address)) return -1;
  int fd = keepsake_socket(AF_UNIX);
  if (fd < 0) return -1;
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) return keepsake_socket_failed(fd);
  return fd;
}

/// The next client of a listening socket: a socket that does not block.
static inline int keepsake_accept(int listening) {
#ifdef __linux__
  int fd = accept4(listening, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
  int fd = keepsake_prepared(accept(listening, 0, 0));
#endif
  int on = 1;
  // A short answer goes out at once. A socket in the file system has no such setting, and no such delay.
  if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

/// Sends two pieces, one after the other; gives how many bytes the system took.
/// `is_more` says that more follows at once, which is worth waiting for with a packet that is not full.
static inline ssize_t keepsake_send(
    int fd, const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count,
    int is_more) {
  struct iovec parts[2] = {{(void *)first, first_count}, {(void *)second, second_count}};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = first_count ? parts : parts + 1;
  message.msg_iovlen = (first_count != 0) + (second_count != 0);
  int flags = 0;
#ifdef MSG_NOSIGNAL
  flags |= MSG_NOSIGNAL;
#endif
#ifdef MSG_MORE
  if (is_more) flags |= MSG_MORE;
#endif
  return sendmsg(fd, &message, flags);
}

/// Sends a part of a file without a copy of it in this process; -2 where the system or the file has no such call.
static inline ssize_t keepsake_send_file(int fd, int file, int64_t offset, size_t count) {
#ifdef __linux__
  off_t at = (off_t)offset;
  ssize_t sent = sendfile(fd, file, &at, count);
  return sent < 0 && (errno == EINVAL || errno == ENOSYS) ? -2 : sent;
#else
  return -2;
#endif
}

// Events of the server, for as long as the page is seen.
// A hidden page holds no connection. When it is seen again, the first event says how things stand now.

export function follow(address, take) {
  const lamp = document.getElementById("live")
  let source
  const show = (state, text) => {
    lamp.dataset.state = state
    lamp.firstElementChild.textContent = text
  }
  const close = () => { source?.close(); source = undefined }
  const open = () => {
    if (source || document.hidden) return
    source = new EventSource(address)
    source.onopen = () => show("on", "live")
    // The browser asks again by itself, unless the server refused.
    source.onerror = () => {
      show("lost", "not connected")
      if (source?.readyState === EventSource.CLOSED) { close(); setTimeout(open, 3000) }
    }
    source.onmessage = (event) => take(JSON.parse(event.data))
  }
  document.addEventListener("visibilitychange", () => document.hidden ? close() : open())
  addEventListener("pagehide", close)
  addEventListener("pageshow", open)
  open()
}

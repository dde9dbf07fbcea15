// Hits while one types.
import { fragment } from "/assets/base.js"

const field = document.getElementById("q")
let running
let timer

field.addEventListener("input", () => {
  clearTimeout(timer)
  timer = setTimeout(search, 120)
})

async function search() {
  const query = field.value.trim()
  const isHere = location.pathname === "/search"
  if (!query) return
  if (!isHere && query.length < 2) return
  running?.abort()
  running = new AbortController()
  const address = new URL("/search", location.href)
  if (isHere) for (const [name, value] of new URLSearchParams(location.search)) address.searchParams.set(name, value)
  address.searchParams.set("q", query)
  const shown = new URL(address)
  address.searchParams.set("part", "list")
  try {
    const page = await fragment(address, running.signal)
    if (!page) return
    const main = document.getElementById("main")
    if (!document.getElementById("hits")) {
      history.pushState({}, "", shown)
      main.className = ""
      main.replaceChildren()
      const place = document.createElement("div")
      place.id = "hits"
      main.append(place)
      document.title = "Search – Keepsake"
    } else history.replaceState({}, "", shown)
    document.getElementById("hits").replaceChildren(page)
  } catch (error) {
    if (error.name !== "AbortError") throw error
  }
}

addEventListener("popstate", () => location.reload())

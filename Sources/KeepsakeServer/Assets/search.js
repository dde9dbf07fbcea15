// Hits while one types.
import { fragment } from "/assets/base.js"

const field = document.getElementById("q")
let running
let timer

field.addEventListener("input", () => {
  clearTimeout(timer)
  timer = setTimeout(search, 120)
})

// Somebody may have typed, or gone on to the hits, before this script was there.
if (location.pathname === "/search" && !document.getElementById("hits")) location.reload()
else if (field.value !== field.defaultValue) search()

async function search() {
  const query = field.value.trim()
  const isHere = location.pathname === "/search"
  if (!query) return
  if (!isHere && query.length < 2) return
  running?.abort()
  running = new AbortController()
  const address = new URL("/search", location.href)
  if (isHere) for (const [name, value] of new URLSearchParams(location.search)) address.searchParams.set(name, value)
  address.searchParams.delete("after")
  address.searchParams.set("q", query)
  const shown = new URL(address)
  address.searchParams.set("part", "list")
  try {
    const page = await fragment(address, running.signal)
    if (!page) return
    const main = document.getElementById("main")
    if (!document.getElementById("hits")) {
      // The page that was here is left, without its connection and its watchers.
      document.dispatchEvent(new Event("left"))
      history.pushState({}, "", shown)
      document.querySelector(".topbar [aria-current]")?.removeAttribute("aria-current")
      main.className = ""
      main.replaceChildren()
      const place = document.createElement("div")
      place.id = "hits"
      main.append(place)
      document.title = "Search – Keepsake"
    } else history.replaceState({}, "", shown)
    document.getElementById("hits").replaceChildren(page)
    scrollTo({ top: 0, behavior: "instant" })
    document.dispatchEvent(new Event("listed"))
  } catch (error) {
    if (error.name !== "AbortError") throw error
  }
}

// Going back from the hits leads to the page that they took the place of.
addEventListener("popstate", () => {
  if (location.pathname === "/search" || document.getElementById("hits")) location.reload()
})

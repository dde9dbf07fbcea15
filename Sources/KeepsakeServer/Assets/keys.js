// The keys that work on every page.
import { isWriting } from "/assets/base.js"

const places = { h: "/", g: "/gallery", t: "/tools", n: "/numbers" }
let first
let forget

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === "Escape" && event.target.type === "search") return event.target.blur()
  if (isWriting(event) || document.querySelector("dialog[open]")) return
  if (first === "g" && places[event.key]) {
    event.preventDefault()
    location.href = places[event.key]
    return
  }
  first = event.key === "g" ? "g" : undefined
  clearTimeout(forget)
  forget = setTimeout(() => { first = undefined }, 1000)
  switch (event.key) {
    case "/": event.preventDefault(); return document.getElementById("q").focus()
    case "j": return step(1)
    case "k": return step(-1)
    // A link opens by itself. An entry opens what is folded in it.
    case "Enter": return event.target === current() ? event.target.querySelector("summary")?.click() : undefined
    case "?": return document.getElementById("keys").showModal()
  }
})

const items = () => [...document.querySelectorAll(".rows > .row, #entries > .entry, .gallery > li")]
const current = () => document.querySelector("[data-current]")

/** Goes to the next or the last item of a list, as a reader sees it. */
function step(by) {
  const all = items()
  if (all.length === 0) return
  const old = current()
  const isShown = (item) => item.getBoundingClientRect().bottom > 80
  let index = old ? all.indexOf(old) + by : Math.max(0, all.findIndex(isShown))
  index = Math.max(0, Math.min(all.length - 1, index))
  if (old) { delete old.dataset.current; old.classList.remove("current"); old.removeAttribute("aria-current") }
  const item = all[index]
  item.dataset.current = ""
  if (item.classList.contains("entry")) item.classList.add("current")
  else item.setAttribute("aria-current", "true")
  item.scrollIntoView({ block: item.matches(".entry") ? "start" : "nearest", behavior: "instant" })
  const target = item.matches(".entry") ? item : item.querySelector("a")
  if (target === item) item.tabIndex = -1
  target?.focus({ preventScroll: true })
}

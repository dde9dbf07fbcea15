// Find in this conversation.
import { isWriting } from "/assets/base.js"
import { go } from "/assets/ranges.js"

const find = document.getElementById("find")
const field = find.querySelector("input")
const told = find.querySelector("output")
const session = document.getElementById("entries").dataset.session
let hits = []
let here = -1

addEventListener("keydown", (event) => {
  if (event.key !== "f" || event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return
  event.preventDefault()
  find.hidden = false
  field.focus()
  field.select()
})

field.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return
  find.hidden = true
  field.blur()
})

find.addEventListener("submit", async (event) => {
  event.preventDefault()
  if (field.value !== field.dataset.asked && !await ask()) return
  if (hits.length === 0) {
    told.textContent = "not found"
    return
  }
  here = (here + 1) % hits.length
  told.textContent = `${here + 1} of ${hits.length}`
  await go(hits[here])
  field.focus({ preventScroll: true })
})

async function ask() {
  field.dataset.asked = field.value
  here = -1
  const query = new URLSearchParams({ session, limit: 100, q: field.value })
  const answer = await fetch(`/api/1/search?${query}`, { headers: { "X-Keepsake": "1" } })
  const body = await answer.json()
  hits = answer.ok
    ? body.hits.map((hit) => hit.position).filter((position) => position !== null).sort((a, b) => a - b) : []
  if (!answer.ok) told.textContent = body.detail
  return answer.ok
}

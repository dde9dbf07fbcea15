// The outline of prompts shows where the reader is.
import { entries, positionOf } from "/assets/ranges.js"

const outline = document.querySelector(".prompts")
const links = [...outline.querySelectorAll("a")]
let timer

function show() {
  timer = undefined
  const seen = entries().find((one) => one.getBoundingClientRect().bottom > 90)
  if (!seen) return
  const position = positionOf(seen)
  let here
  for (const link of links) if (Number(link.dataset.position) <= position) here = link
  const old = outline.querySelector("[aria-current]")
  if (old === here) return
  old?.removeAttribute("aria-current")
  here?.setAttribute("aria-current", "true")
  // The outline scrolls by itself alone: scrollIntoView would move the page as well.
  if (here && outline.scrollHeight > outline.clientHeight) {
    outline.scrollTop = here.offsetTop - outline.clientHeight / 2
  }
}

if (links.length > 0) {
  addEventListener("scroll", () => { timer ??= setTimeout(show, 150) }, { passive: true })
  show()
}

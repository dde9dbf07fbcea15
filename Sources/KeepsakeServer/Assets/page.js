// Loaded by every page: keys, search, copy buttons, images seen large.
import "/assets/keys.js"
import "/assets/search.js"
import { tell } from "/assets/base.js"

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("button.copy")
  if (copy) {
    const code = copy.closest(".code, .copied")?.querySelector("pre, code")
    try {
      await navigator.clipboard.writeText(code?.textContent ?? copy.dataset.text ?? "")
      tell("Copied.")
    } catch { tell("The browser did not allow it.") }
    return
  }
  const image = event.target.closest("a.zoom")
  if (image && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    enlarge(image.querySelector("img"))
  }
})

/** Shows an image alone. Escape or a click closes it. */
function enlarge(image) {
  const dialog = document.getElementById("large")
  const large = dialog.querySelector("img")
  large.src = image.currentSrc || image.src
  large.alt = image.alt
  dialog.showModal()
}
document.getElementById("large")?.addEventListener("click", (event) => event.currentTarget.close())
document.addEventListener("click", (event) => {
  if (event.target.closest("button[data-close]")) event.target.closest("dialog")?.close()
})

for (const form of document.querySelectorAll("form.filters")) {
  form.addEventListener("change", () => form.requestSubmit())
}

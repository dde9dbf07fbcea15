// Loaded by every page: keys, search, images seen large. The script of the viewer copies code.
import "/assets/keys.js"
import "/assets/search.js"

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.zoom, a.enlarge")
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
  const image = link.querySelector("img") ?? link.parentElement.querySelector("img")
  if (!image) return
  event.preventDefault()
  enlarge(image)
})

/** Shows an image alone. Escape or a click closes it. */
function enlarge(image) {
  const dialog = document.getElementById("large")
  const large = new Image()
  large.src = image.currentSrc || image.src
  large.alt = image.alt
  dialog.replaceChildren(large)
  dialog.showModal()
}
document.getElementById("large")?.addEventListener("click", (event) => event.currentTarget.close())
document.addEventListener("click", (event) => {
  if (event.target.closest("button[data-close]")) event.target.closest("dialog")?.close()
})

for (const form of document.querySelectorAll("form.filters[data-at-once]")) {
  form.addEventListener("change", () => form.requestSubmit())
  // What was not asked for does not stand in the address.
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name)
  })
}

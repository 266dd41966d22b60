// The page around the widgets: light or dark, and what it is handed over.

for (const choice of document.querySelectorAll("[name=theme]")) {
  choice.addEventListener("change", () => {
    if (choice.value) document.documentElement.dataset.theme = choice.value;
    else delete document.documentElement.dataset.theme;
    for (const widget of document.querySelectorAll("railkit-widget")) {
      if (choice.value) widget.setAttribute("theme", choice.value);
      else widget.removeAttribute("theme");
    }
  });
}

document.getElementById("crossing").addEventListener("railkit-handover", ({ detail }) => {
  document.getElementById("handed").textContent =
    `The page got: button ${detail.index} of ${new URL(detail.metadata).pathname}, ${JSON.stringify(detail.params)}.`;
});

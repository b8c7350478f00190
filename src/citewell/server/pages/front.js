"use strict";
// Copy buttons: hidden until now, because they do nothing without a script.
const said = document.getElementById("copied");

async function copyText(text) {
  if (navigator.clipboard && window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "unseen";
  document.body.append(box);
  box.select();
  const done = document.execCommand("copy");
  box.remove();
  if (!done) throw new Error("copying is not possible here");
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  const target = document.getElementById(button.dataset.copy);
  const label = button.firstChild;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await copyText(target.textContent);
      label.data = "Copied";
      said.textContent = "Copied to the clipboard.";
    } catch {
      getSelection().selectAllChildren(target);
      label.data = "Selected";
      said.textContent = "The text is selected; copy it with the keyboard.";
    }
    setTimeout(() => {
      label.data = "Copy";
      said.textContent = "";
    }, 2500);
  });
}

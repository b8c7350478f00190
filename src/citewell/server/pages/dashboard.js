"use strict";
// Keeps the dashboard current. The server renders every section; this only puts them in place.
const controls = document.getElementById("controls");
const pause = document.getElementById("pause");
const updated = document.getElementById("updated");
const said = document.getElementById("said");
const everyMs = Number(controls.dataset.seconds) * 1000;
const shown = new Map();
let timer = 0;
let paused = false;
let failures = 0;
let changes = null;

function isBusy(section) {
  const selection = getSelection();
  return selection && !selection.isCollapsed && section.contains(selection.anchorNode);
}

function replaceSection(section, html) {
  const focused = section.contains(document.activeElement) ? document.activeElement.id : "";
  const open = [...section.querySelectorAll("details[open]")].map((one) => one.id);
  const scrolled = [...section.querySelectorAll(".scroll")].map((one) => [one.id, one.scrollLeft]);
  const wasSummary = document.activeElement?.tagName === "SUMMARY"
    ? document.activeElement.parentElement.id : "";
  section.innerHTML = html; // escaped by the server; the policy of the page lets no script in it run
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  for (const [id, left] of scrolled) {
    const place = document.getElementById(id);
    if (place) place.scrollLeft = left;
  }
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  else if (wasSummary) document.querySelector(`#${wasSummary} > summary`)?.focus({ preventScroll: true });
}

function showSections(answer) {
  for (const section of document.querySelectorAll("[data-live]")) {
    const html = answer.sections[section.id];
    if (html === undefined || shown.get(section.id) === html || isBusy(section)) continue;
    const first = !shown.has(section.id);
    shown.set(section.id, html);
    replaceSection(section, html);
    if (!first) {
      section.classList.remove("changed");
      void section.offsetWidth; // lets the animation begin again
      section.classList.add("changed");
    }
  }
  updated.textContent = answer.takenText;
  updated.dateTime = answer.takenAt;
}

function say(text) {
  if (said.textContent !== text) said.textContent = text;
}

async function refresh() {
  try {
    const response = await fetch("/dashboard/data?sections=html", {
      headers: { accept: "application/json" },
      credentials: "same-origin",
      cache: "no-store",
    });
    if (response.status === 401 || response.status === 403) {
      location.reload(); // the login has ended: the server shows the form
      return false;
    }
    if (!response.ok) throw new Error(String(response.status));
    showSections(await response.json());
    failures = 0;
    say(paused ? "Paused." : "");
  } catch {
    failures += 1;
    say("The server does not answer; the figures are old.");
  }
  return true;
}

function plan() {
  clearTimeout(timer);
  if (paused || document.hidden) return;
  timer = setTimeout(async () => {
    if (await refresh()) plan();
  }, everyMs * Math.min(2 ** failures, 12));
}

function listen() { // to the server, which tells at once when a research job has changed
  if (paused || document.hidden) {
    changes?.close();
    changes = null;
  } else if (!changes) {
    changes = new EventSource("/dashboard/changes");
    changes.addEventListener("changed", async () => {
      if (!paused && await refresh()) plan();
    });
  }
}

pause.hidden = false;
pause.addEventListener("click", () => {
  paused = !paused;
  pause.textContent = paused ? "Resume" : "Pause";
  say(paused ? "Paused." : "");
  if (!paused) refresh();
  plan();
  listen();
});
document.getElementById("refresh").addEventListener("click", (event) => {
  event.preventDefault();
  refresh().then((answered) => {
    if (answered && !failures) say(paused ? "Paused. The figures were updated." : "The figures were updated.");
  });
});
document.addEventListener("visibilitychange", async () => {
  if (!document.hidden && !paused) await refresh();
  plan();
  listen();
});
plan();
setTimeout(listen, 1000);

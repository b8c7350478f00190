// `node format_items.js CITEPROC LOCALES < jobs.jsonl > formatted.jsonl`: formats CSL items with citeproc-js.
//
// A job is {"style": path of a CSL file, "items": [CSL-JSON]}; a line of the result is a list of
// [variable, text] pairs in the order of the reference, or null where the style prints nothing.
"use strict";
const fs = require("fs");
const readline = require("readline");
const CSL = require(process.argv[2]);
const locales = process.argv[3];
const OPEN = "\uE000", MIDDLE = "\uE001", CLOSE = "\uE002";

function unescape(text) {
  return text.replace(/<[^<>]{0,200}>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(+code))
    .replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&");
}

function splitParts(html) {
  const parts = [], names = [];
  for (const piece of unescape(html).split(/(\uE000[^\uE001]*\uE001|\uE002)/)) {
    if (piece.startsWith(OPEN)) names.push(piece.slice(1, -1));
    else if (piece === CLOSE) names.pop();
    else if (piece) parts.push([names[names.length - 1] || "", piece.replace(/\s+/g, " ")]);
  }
  return parts;
}

function formatItems(job) {
  const byId = Object.fromEntries(job.items.map((item) => [item.id, item]));
  const engine = new CSL.Engine({
    retrieveLocale: (lang) => {
      const path = `${locales}/locales-${lang}.xml`;
      return fs.existsSync(path) ? fs.readFileSync(path, "utf8") : false;
    },
    retrieveItem: (id) => byId[id],
    variableWrapper: (params, before, text, after) =>
      before + OPEN + (params.variableNames || []).join(",") + MIDDLE + text + CLOSE + after,
  }, fs.readFileSync(job.style, "utf8"));
  engine.opt.development_extensions.wrap_url_and_doi = false;
  return job.items.map((item) => {
    engine.updateItems([item.id]);
    const made = engine.makeBibliography();
    return made && made[1].length ? splitParts(made[1].join(" ")) : null;
  });
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const job = JSON.parse(line);
  let results;
  try {
    results = formatItems(job);
  } catch (error) {
    console.error(`${job.style}: ${error}`);
    results = job.items.map(() => null);
  }
  for (const result of results) console.log(JSON.stringify(result));
});

// Formats works with citeproc-js: reads {style, locale, items} as JSON, writes one line of text per item.
// node benchmarks/citeproc.cjs < request.json; NODE_PATH names the folder that holds the package `citeproc`.
"use strict";
const CSL = require("citeproc");
const request = JSON.parse(require("fs").readFileSync(0, "utf8"));
const items = new Map(request.items.map((item) => [item.id, item]));
const engine = new CSL.Engine(
  { retrieveLocale: () => request.locale, retrieveItem: (id) => structuredClone(items.get(id)) },
  request.style,
  "en-US",
);
engine.setOutputFormat("text");
const lines = request.items.map((item) => {
  engine.updateItems([item.id]);
  return engine.makeBibliography()[1][0].trim();
});
process.stdout.write(JSON.stringify(lines));

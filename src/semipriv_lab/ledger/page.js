// The ledger's filters, addresses and cells.  The address says what is shown: #CLAIM opens that claim,
// #?paper=ABM19&verdict=refuted&kind=rate&word=cover filters.  Without this script all claims are shown.
"use strict";
(() => {
  const form = document.querySelector("form");
  const rows = [...document.querySelectorAll("tr[data-paper]")];
  const cells = JSON.parse(document.getElementById("cells").textContent);
  const TITLES = ["quantity", "settings", "measured", "limits", "bound", "trials", "verdict"];
  const text = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  const shown = (row, wanted) =>
    ["paper", "verdict", "kind"].every((key) => !wanted[key] || row.dataset[key] === wanted[key]) &&
    wanted.word.toLowerCase().split(/\s+/).every((word) => text.get(row).includes(word));

  function filter() {
    const wanted = Object.fromEntries(new FormData(form));
    rows.forEach((row) => { row.hidden = !shown(row, wanted); });
    for (const section of document.querySelectorAll("section[data-claims]")) {
      section.hidden = !section.querySelector("tr[data-paper]:not([hidden])");
    }
    document.getElementById("count").textContent =
      `${rows.filter((row) => !row.hidden).length} of ${rows.length} claims`;
  }

  function remember() {
    const wanted = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    const address = `#${[...wanted].length ? "?" + wanted : ""}`;
    try { history.replaceState(null, "", address); } catch { /* inside of a report the page has no address */ }
    filter();
  }

  const number = (value) => (typeof value === "number" ? String(Number(value.toPrecision(4))) : value || "");

  function table(measured) {
    const made = document.createElement("table");
    const head = made.insertRow();
    for (const title of TITLES) head.append(Object.assign(document.createElement("th"), { textContent: title }));
    for (const [quantity, settings, value, low, high, bound, trials, verdict] of measured) {
      const where = Object.entries(settings).map(([key, at]) => `${key} = ${at}`).join(", ");
      const limits = low === high ? "" : `${number(low)} to ${number(high)}`;
      const line = [quantity, where, number(value), limits, number(bound), trials || "exact", verdict || ""];
      const row = made.insertRow();
      line.forEach((entry, i) => {
        const cell = row.insertCell();
        cell.textContent = entry;
        cell.dataset.title = TITLES[i];
      });
    }
    return made;
  }

  function fill(details) {
    const place = details.querySelector("[data-cells]");
    if (details.open && place && !place.childElementCount) place.append(table(cells[place.dataset.cells] || []));
  }

  function follow() {
    const address = decodeURIComponent(location.hash.slice(1));
    if (address.startsWith("?")) {
      const wanted = new URLSearchParams(address.slice(1));
      for (const key of ["paper", "verdict", "kind", "word"]) form.elements[key].value = wanted.get(key) || "";
    }
    const claim = rows.find((row) => row.id === address);
    if (claim) form.reset();
    filter();
    if (claim) {
      claim.querySelector("details").open = true;
      claim.scrollIntoView();
    }
  }

  for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", () => fill(details));
  form.addEventListener("input", remember);
  form.addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", follow);
  if (matchMedia("(max-width: 700px)").matches) document.getElementById("about").open = false;  // results first
  form.hidden = false;
  follow();
})();

// How many rows a threshold, an interval, ... needs: sizes that `semipriv plan` answers, chosen from planner-sizes.js.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("planner");
  if (!place) return;
  const rows = SIZES.rows.map((row) => Object.fromEntries(SIZES.keys.map((key, i) => [key, row[i]])));
  const distinct = (key) => [...new Set(rows.map((row) => row[key]))];
  const options = (key) => distinct(key).map((one) => `<option>${one}</option>`).join("");
  const choose = (key, words) => `<label>${words} <select id="planner-${key}">${options(key)}</select></label>`;
  const WIDTH = 640, HEIGHT = 280, LEFT = 70, RIGHT = 150, BOTTOM = 36;
  place.innerHTML = `<p>${choose("class", "rule")} ${choose("alpha", "excess error")} ${choose("epsilon", "epsilon")}
    <label>your private rows <input type="number" id="planner-rows" min="1" step="1" value="2000" style="width: 8em"></label></p>
    <p id="planner-said" role="status"></p>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" style="max-width: 40rem" width="100%" role="img" aria-label="private rows that are needed, against epsilon"></svg>`;
  const at = (key) => document.getElementById(`planner-${key}`);
  at("alpha").value = "0.1";
  at("epsilon").value = "1";
  const shown = (n) => n.toLocaleString("en");
  const svg = place.querySelector("svg");

  function draw() {
    const alpha = Number(at("alpha").value), epsilon = Number(at("epsilon").value), n = Number(at("rows").value);
    const curve = rows.filter((row) => row.class === at("class").value && row.alpha === alpha);
    const row = curve.find((one) => one.epsilon === epsilon);
    const simulated = row.simulated_private === null ? "A simulation is too large at these values."
      : `In simulations ${shown(row.simulated_private)} private and ${shown(row.simulated_public)} public rows are enough.`;
    const enough = (size) => size !== null && n >= size;
    const verdict = enough(row.proven_private) ? "Your rows are enough by proof."
      : enough(row.simulated_private) ? "Your rows are enough in simulations, and too few for the proof."
      : "Your rows are too few for this error.";
    at("said").textContent = `Proven: ${shown(row.proven_private)} private and ${shown(row.proven_public)} public rows are enough, whatever the data. ${simulated} ${verdict}`;

    const sizes = curve.flatMap((one) => [one.proven_private, one.simulated_private]).filter((size) => size !== null);
    const low = Math.floor(Math.log10(Math.min(...sizes, Math.max(n, 1)))), high = Math.ceil(Math.log10(Math.max(...sizes, n)));
    const epsilons = curve.map((one) => one.epsilon), first = Math.log(epsilons[0]), last = Math.log(epsilons[epsilons.length - 1]);
    const x = (e) => LEFT + ((Math.log(e) - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
    const y = (size) => 10 + ((high - Math.log10(size)) / (high - low)) * (HEIGHT - BOTTOM - 10);
    const line = (key, words, dash) => {
      const known = curve.filter((one) => one[key] !== null);
      if (!known.length) return "";
      const end = known[known.length - 1];
      return `<polyline fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="${dash}" points="${known.map((one) => `${x(one.epsilon)},${y(one[key])}`).join(" ")}"/>
        <text x="${x(end.epsilon) + 8}" y="${y(end[key]) + 4}">${words}</text>`;
    };
    const grid = Array.from({ length: high - low + 1 }, (_, i) => low + i).map((power) => `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(10 ** power)}" y2="${y(10 ** power)}"
      stroke="currentColor" stroke-opacity=".15"/><text x="${LEFT - 6}" y="${y(10 ** power) + 4}" text-anchor="end">${shown(10 ** power)}</text>`);
    const ticks = epsilons.map((e) => `<text x="${x(e)}" y="${HEIGHT - 14}" text-anchor="middle">${e === epsilon ? "epsilon " : ""}${e}</text>`);
    const own = n >= 1 ? `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(n)}" y2="${y(n)}" stroke="#0b5d7a" stroke-width="2"/>
      <text x="${WIDTH - RIGHT + 8}" y="${y(n) + 4}" fill="#0b5d7a">your rows</text>` : "";
    svg.innerHTML = `<g font-size="12" fill="currentColor">${grid.join("")}${ticks.join("")}${line("proven_private", "proven", "")}${line("simulated_private", "simulated", "5 4")}${own}</g>`;
  }

  for (const key of ["class", "alpha", "epsilon", "rows"]) at(key).addEventListener("input", draw);
  draw();
});

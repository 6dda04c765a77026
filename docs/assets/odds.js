// The odds that a person faces: how far a suspicion can grow, against epsilon, for a chance of one's own.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("odds");
  if (!place) return;
  const WIDTH = 640, HEIGHT = 260, LEFT = 46, BOTTOM = 34, MOST = 8;
  place.innerHTML = `<p><label>epsilon <input type="range" id="odds-epsilon" min="0.05" max="${MOST}" step="0.05" value="1"></label>
    <label>suspicion before, in % <input type="number" id="odds-before" min="0.001" max="99.999" step="any" value="10"></label></p>
    <p id="odds-said" role="status"></p>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" style="max-width: 40rem" width="100%" role="img" aria-label="largest suspicion after a release, against epsilon"></svg>`;
  const epsilon = document.getElementById("odds-epsilon"), before = document.getElementById("odds-before");
  const svg = place.querySelector("svg");
  const after = (prior, e) => 1 / (1 + ((1 - prior) / prior) * Math.exp(-e));
  const x = (e) => LEFT + (e / MOST) * (WIDTH - LEFT - 10);
  const y = (share) => 8 + (1 - share) * (HEIGHT - BOTTOM - 8);
  const percent = (share) => `${(Math.ceil(share * 1000) / 10).toFixed(1)} %`;

  function draw() {
    const prior = Math.min(Math.max(Number(before.value) / 100, 1e-5), 1 - 1e-5), e = Number(epsilon.value);
    const points = Array.from({ length: 161 }, (_, i) => (i * MOST) / 160);
    const line = points.map((at) => `${x(at).toFixed(1)},${y(after(prior, at)).toFixed(1)}`).join(" ");
    const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => `<line x1="${LEFT}" x2="${WIDTH - 10}" y1="${y(share)}" y2="${y(share)}"
      stroke="currentColor" stroke-opacity=".15"/><text x="${LEFT - 6}" y="${y(share) + 4}" text-anchor="end">${100 * share} %</text>`);
    const ticks = [0, 2, 4, 6, 8].map((at) => `<text x="${x(at)}" y="${HEIGHT - 14}" text-anchor="middle">${at}</text>`);
    svg.innerHTML = `<g font-size="12" fill="currentColor">${marks.join("")}${ticks.join("")}
      <text x="${WIDTH / 2}" y="${HEIGHT - 1}" text-anchor="middle">epsilon</text></g>
      <polyline points="${line}" fill="none" stroke="#0173b2" stroke-width="2"/>
      <circle cx="${x(e)}" cy="${y(after(prior, e))}" r="5" fill="#0173b2"/>`;
    document.getElementById("odds-said").textContent =
      `At epsilon ${e.toFixed(2)} a suspicion of ${percent(prior)} can grow to ${percent(after(prior, e))} at most.`;
  }

  epsilon.addEventListener("input", draw);
  before.addEventListener("input", draw);
  draw();
});

"use strict";
// Tables sort by a click on a heading; a click on a figure says which record it is from. The page reads without both.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  if (body.rows.length < 2) continue;
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      const key = (row) => row.cells[column].textContent.trim();
      const number = (text) => (/^[-+]?[\d.,]+(e[-+]?\d+)?[x%]?$/.test(text) ? parseFloat(text.replaceAll(",", "")) : NaN);
      const compare = (a, b) => {
        const [x, y] = [number(a), number(b)];
        if (Number.isNaN(x) && Number.isNaN(y)) return sign * a.localeCompare(b);
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y); // texts stay below numbers
        return sign * (x - y);
      };
      body.append(...[...body.rows].sort((a, b) => compare(key(a), key(b))));
    });
  });
}
const output = document.getElementById("origin");
document.querySelector("main").addEventListener("click", (event) => {
  const titled = event.target.closest("[title]");
  output.hidden = !titled;
  output.textContent = titled ? titled.title : "";
});

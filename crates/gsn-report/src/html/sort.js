"use strict";
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  if (body.rows.length > 1) Array.from(table.tHead.rows[0].cells).forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const key = (row) => {
      const cell = row.cells[at];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    const compare = (a, b) =>
      typeof a === "number" ? (typeof b === "number" ? a - b : -1)
        : typeof b === "number" ? 1 : a.localeCompare(b, undefined, { numeric: true });
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows).map((row) => [key(row), row]);
      rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

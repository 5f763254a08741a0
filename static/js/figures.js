// Draws the figures of a page with Plotly. Plotly itself is fetched only when the first figure comes near the screen.
// A figure's JSON is {"data", "layout"}, or {"empty": "why there is nothing to draw"}. Colours may be names of custom
// properties ("--gold"); they are read from the style sheet, so a figure follows the theme.
const plotlyAddress = document.currentScript.dataset.plotly;
let plotly;

const loadPlotly = () => (plotly ??= new Promise((resolve, reject) => {
  const script = document.createElement("script");
  script.src = plotlyAddress;
  script.onload = () => resolve(window.Plotly);
  script.onerror = () => reject(new Error("Plotly did not load"));
  document.head.append(script);
}));

// light-dark() is resolved by the browser on a real element, not by getPropertyValue.
const probe = document.createElement("span");
probe.hidden = true;
let onPaper = false; // printing: paper is white and narrow
const PAPER_WIDTH = 640; // of the 794 px of an A4 page, without margins and the card's padding
const colour = (name) => {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.colorScheme = onPaper ? "light" : "";
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
};

// "--heat/0.53" is that share of the way from an empty cell to a full one.
const shade = (name, share) => {
  const [empty, full] = ["--sunk", name].map((each) => colour(each).match(/[\d.]+/g).map(Number));
  return `rgb(${[0, 1, 2].map((at) => Math.round(empty[at] + (full[at] - empty[at]) * share))})`;
};

const known = new Map(); // name -> colour, while a picture is painted: a field of cells asks for the same ones
const named = (name) => {
  if (!known.has(name)) known.set(name, name.includes("/") ? shade(...name.split("/")) : colour(name));
  return known.get(name);
};

const coloured = (value) => {
  if (typeof value === "string") return value.startsWith("--") ? named(value) : value;
  if (Array.isArray(value)) return value.map(coloured);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, coloured(inner)]));
  return value;
};

const axis = () => ({
  gridcolor: colour("--line"), linecolor: colour("--line-strong"), zerolinecolor: colour("--line-strong"),
  tickcolor: colour("--line-strong"), tickfont: { color: colour("--soft") }, title: { font: { color: colour("--soft"), size: 12 } },
  automargin: true,
});

const themed = (layout) => {
  const style = getComputedStyle(document.body);
  const base = {
    font: { family: style.fontFamily, size: 12, color: colour("--ink") },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    colorway: [1, 2, 3, 4, 5, 6].map((at) => colour(`--series-${at}`)),
    margin: { l: 48, r: 12, t: 12, b: 40 }, hovermode: "closest",
    hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--line-strong"), font: { family: style.fontFamily, color: colour("--ink") } },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { color: colour("--soft") } },
    template: { layout: { xaxis: axis(), yaxis: axis() } },
  };
  const { title, width, height, ...own } = coloured(layout ?? {});
  const size = onPaper ? { width: PAPER_WIDTH, autosize: false } : { autosize: true };
  return { ...base, ...own, height: height ?? 340, ...size };
};

// Plotly reads markup in text: turn it back into plain words.
const plain = (text) => text.replaceAll("<br>", ", ").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

// Names beside points and above columns need room. On a phone they are numbers, and the names follow below the picture.
const NARROW = 480;
const fitting = (data, width, names) => data.map((trace) => {
  if (width >= NARROW || trace.mode !== "markers+text") return trace;
  return { ...trace, text: trace.customdata.map((name) => `${names.push(plain(name))}`) };
});

const FEW = 14; // letters of a name at the start of its line
const LETTER = 6.4; // pixels
const MOST_COLUMNS = 5; // that leave room for the figure in each cell
const isField = (layout) => layout?.xaxis?.side === "top";
const fittingAxes = (layout, width, names) => {
  const { xaxis, yaxis, margin } = layout ?? {};
  if (width >= NARROW || !Array.isArray(yaxis?.ticktext)) return layout;
  const short = yaxis.ticktext.map((name) => (plain(name).length > FEW ? `${name.slice(0, FEW - 1)}…` : name));
  const columns = isField(layout) && {
    xaxis: { ...xaxis, tickangle: 0, ticktext: xaxis.ticktext.map((name) => `${names.push(plain(name.replaceAll("<br>", " ")))}`) },
  };
  const room = { ...margin, l: Math.min(margin?.l ?? Infinity, 20 + LETTER * FEW), t: columns ? 28 : margin?.t };
  return { ...layout, yaxis: { ...yaxis, ticktext: short }, margin: room, ...columns };
};

// On a phone the cells of many columns have only their colours, because text does not fit.
const fittingCells = (data, layout, width) => {
  const isFull = width < NARROW && isField(layout) && layout.xaxis.ticktext.length > MOST_COLUMNS;
  return isFull ? data.filter((trace) => trace.mode !== "text") : data;
};

// One chart at a time, because each is a long task: between two of them the page can respond to its reader.
let turn = Promise.resolve();
const idle = () => new Promise((resolve) => (window.requestIdleCallback ? requestIdleCallback(resolve, { timeout: 150 }) : setTimeout(resolve)));
const inTurn = (work) => (turn = turn.then(idle).then(work, work));

const list = (figure, names) => {
  figure.querySelector(".names")?.remove();
  if (!names.length) return;
  const found = document.createElement("ol");
  found.className = "names";
  found.append(...names.map((name) => Object.assign(document.createElement("li"), { textContent: name })));
  figure.querySelector(".canvas").after(found);
};

const say = (figure, text, flag) => {
  const state = figure.querySelector("[data-figure-state]");
  if (state) state.textContent = text;
  if (flag) figure.dataset[flag] = "";
};

// A trace's `meta.urls` has an address of this site for each of its marks. The table has the same as links.
const addressOf = (event) => {
  const [{ data, pointNumber }] = event.points;
  return data.meta?.urls?.[pointNumber];
};

const follow = (canvas) => {
  canvas.on("plotly_click", (event) => {
    const address = addressOf(event);
    if (address?.startsWith("/")) window.location.assign(address);
  });
  canvas.on("plotly_hover", (event) => canvas.classList.toggle("leads", Boolean(addressOf(event))));
  canvas.on("plotly_unhover", () => canvas.classList.remove("leads"));
};

const paint = async (figure) => {
  const Plotly = await loadPlotly();
  const canvas = figure.querySelector(".canvas");
  const { data, layout } = figure.plot;
  canvas.querySelector("[data-figure-state]")?.remove();
  const names = [];
  known.clear();
  const traces = fitting(fittingCells(coloured(data), layout, canvas.clientWidth), canvas.clientWidth, names);
  const fitted = fittingAxes(layout, canvas.clientWidth, names);
  list(figure, names);
  await Plotly.react(canvas, traces, themed(fitted), { responsive: true, displaylogo: false, displayModeBar: false });
  if (!("drawn" in figure.dataset)) follow(canvas);
  figure.dataset.drawn = "";
};

const draw = async (figure) => {
  say(figure, "Drawing…");
  try {
    const answer = await fetch(figure.dataset.figureUrl, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    figure.plot = await answer.json();
    if (figure.plot.empty) {
      say(figure, figure.plot.empty, "empty");
      return;
    }
    await loadPlotly();
    await inTurn(() => paint(figure));
  } catch (error) {
    say(figure, `This figure could not be drawn: ${error.message}.`, "failed");
  }
};

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "300px" });

const start = () => document.querySelectorAll("[data-figure-url]:not([data-watched])").forEach((figure) => {
  figure.dataset.watched = "";
  const { figureHeight } = figure.dataset; // room for the chart: its arrival must not move the text below
  if (figureHeight) figure.querySelector(".canvas").style.minHeight = `${figureHeight}px`;
  near.observe(figure);
});

const repaint = () => document.querySelectorAll("[data-figure-url][data-drawn]").forEach(paint);

const paintFor = (paper) => {
  onPaper = paper;
  repaint();
};
window.addEventListener("beforeprint", () => paintFor(true));
window.addEventListener("afterprint", () => paintFor(false));

// Paper cannot scroll: charts not drawn yet are printed as their tables.
window.addEventListener("beforeprint", () => document.querySelectorAll("[data-figure-url]:not([data-drawn]) .twin:not([open])").forEach((twin) => {
  twin.open = true;
  twin.dataset.forPrint = "";
}));
window.addEventListener("afterprint", () => document.querySelectorAll(".twin[data-for-print]").forEach((twin) => {
  twin.open = false;
  delete twin.dataset.forPrint;
}));

document.addEventListener("DOMContentLoaded", start);
document.addEventListener("htmx:afterSettle", start);
document.addEventListener("themechange", repaint);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-figure-save]");
  if (!button) return;
  const figure = button.closest("[data-figure-url]");
  const canvas = figure.querySelector(".canvas");
  const Plotly = await loadPlotly();
  const picture = { data: canvas.data, layout: { ...canvas.layout, paper_bgcolor: colour("--card") } };
  await Plotly.downloadImage(picture, {
    format: button.dataset.figureSave, filename: figure.dataset.figureName, width: canvas.clientWidth, height: canvas.clientHeight,
    scale: button.dataset.figureSave === "png" ? 2 : 1,
  });
});

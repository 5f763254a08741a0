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
let onPaper = false; // which is white and narrow, whatever the screen is
const PAPER_WIDTH = 640; // of the 794 px of an A4 page, without margins and the card's padding
const colour = (name) => {
  if (!probe.isConnected) document.body.append(probe);
  probe.style.colorScheme = onPaper ? "light" : "";
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
};

const coloured = (value) => {
  if (typeof value === "string") return value.startsWith("--") ? colour(value) : value;
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

// What Plotly reads as markup, as words.
const plain = (text) => text.replaceAll("<br>", ", ").replaceAll("&lt;", "<").replaceAll("&amp;", "&");

// Names beside points need room. On a phone points carry numbers, and their names follow below the picture.
const fitting = (data, width, names) => data.map((trace) => {
  if (width >= 480 || trace.mode !== "markers+text") return trace;
  return { ...trace, text: trace.customdata.map((name) => `${names.push(plain(name))}`) };
});

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

const paint = async (figure) => {
  const Plotly = await loadPlotly();
  const canvas = figure.querySelector(".canvas");
  const { data, layout } = figure.plot;
  canvas.querySelector("[data-figure-state]")?.remove();
  const names = [];
  const traces = fitting(coloured(data), canvas.clientWidth, names);
  list(figure, names);
  await Plotly.react(canvas, traces, themed(layout), { responsive: true, displaylogo: false, displayModeBar: false });
  figure.dataset.drawn = "";
};

const draw = async (figure) => {
  say(figure, "Drawing…");
  try {
    const answer = await fetch(figure.dataset.figureUrl, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    figure.plot = await answer.json();
    if (figure.plot.empty) say(figure, figure.plot.empty, "empty");
    else await paint(figure);
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
  near.observe(figure);
});

const repaint = () => document.querySelectorAll("[data-figure-url][data-drawn]").forEach(paint);

const paintFor = (paper) => {
  onPaper = paper;
  repaint();
};
window.addEventListener("beforeprint", () => paintFor(true));
window.addEventListener("afterprint", () => paintFor(false));

// Paper cannot scroll: what is not drawn yet is printed as its table.
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

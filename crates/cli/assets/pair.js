// The page of `drystone explain`: both shapes, the Minkowski difference, and the steps.
const data = window.pairData;
const at = (id) => document.getElementById(id);
const short = (x) => x === 0 ? '0' : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e6 ? String(+x.toFixed(6)) : x.toExponential(3);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// A canvas with a camera: polygons from back to front, then lines and points over them.
class Picture {
  constructor(canvas, redraw) {
    this.canvas = canvas;
    this.camera = new Camera();
    this.items = [];
    let held = null;
    canvas.addEventListener('pointerdown', (event) => {
      held = event.button === 0 && !event.shiftKey ? 'orbit' : 'pan';
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return;
      if (held === 'orbit') this.camera.orbit(event.movementX, event.movementY);
      else this.camera.pan(event.movementX, event.movementY, canvas.clientHeight);
      redraw();
    });
    canvas.addEventListener('pointerup', () => { held = null; });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.camera.zoom(Math.exp(event.deltaY * 0.001));
      redraw();
    }, { passive: false });
  }

  begin() {
    const { canvas, camera } = this;
    const scale = window.devicePixelRatio || 1;
    this.width = canvas.clientWidth;
    this.height = canvas.clientHeight;
    canvas.width = this.width * scale;
    canvas.height = this.height * scale;
    this.context = canvas.getContext('2d');
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.axes = camera.axes();
    this.eye = camera.eye();
    this.focus = this.height / 2 / Math.tan(camera.angle / 2);
    this.items = [];
  }

  fit(points) {
    if (!points.length) return;
    const pick = (choose) => [0, 1, 2].map((k) => points.reduce((best, p) => choose(best, p[k]), points[0][k]));
    this.camera.fit(pick(Math.min), pick(Math.max), Math.max(0.3, this.canvas.clientWidth / this.canvas.clientHeight));
  }

  // Where a point appears, and how far away it is.
  place(point) {
    const from = sub(point, this.eye);
    const depth = Math.max(-dot(from, this.axes.back), 1e-9 * this.camera.size);
    const scale = this.focus / depth;
    return [this.width / 2 + scale * dot(from, this.axes.right), this.height / 2 - scale * dot(from, this.axes.up), depth];
  }

  polygon(points, fill, alpha, edge) {
    const places = points.map((p) => this.place(p));
    const depth = places.reduce((sum, p) => sum + p[2], 0) / places.length;
    const [p, q, r] = [points[0], points[Math.floor(points.length / 3)], points[Math.floor(2 * points.length / 3)]];
    const normal = unit(cross(sub(q, p), sub(r, p)));
    const light = 0.72 + 0.28 * Math.abs(dot(normal, unit([0.3, 0.8, 0.5])));
    this.items.push({ places, depth, fill, alpha, light, edge });
  }

  line(points, stroke, width, dash) {
    this.over.push(() => {
      const { context } = this;
      context.beginPath();
      points.forEach((p) => { const [x, y] = this.place(p); context.lineTo(x, y); });
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.setLineDash(dash || []);
      context.stroke();
      context.setLineDash([]);
    });
  }

  point(at, fill, radius, label) {
    this.over.push(() => {
      const { context } = this;
      const [x, y] = this.place(at);
      context.beginPath();
      context.arc(x, y, radius, 0, 7);
      context.fillStyle = fill;
      context.fill();
      if (label) context.fillText(label, x + radius + 3, y - radius);
    });
  }

  end() {
    const { context } = this;
    this.items.sort((one, other) => other.depth - one.depth);
    for (const { places, fill, alpha, light, edge } of this.items) {
      context.beginPath();
      places.forEach(([x, y]) => context.lineTo(x, y));
      context.closePath();
      context.globalAlpha = alpha;
      context.fillStyle = `color-mix(in srgb, ${fill} ${Math.round(100 * light)}%, black)`;
      context.fill();
      if (edge) {
        context.globalAlpha = Math.min(1, alpha + 0.3);
        context.strokeStyle = fill;
        context.lineWidth = 1;
        context.stroke();
      }
    }
    context.globalAlpha = 1;
    context.font = '12px system-ui, sans-serif';
    this.over.forEach((draw) => draw());
  }
}

const now = { frame: 0, step: 0 };
const redraw = () => requestAnimationFrame(draw);
const shapes = new Picture(at('shapes'), redraw);
const space = new Picture(at('difference'), redraw);
const frame = () => data.frames[now.frame];
const step = () => frame().steps[now.step] || { text: '', on: [[], []] };

// B's points seen from A.
const fromB = (p) => {
  const { turn, at: offset } = frame();
  return add(offset, add(scaled(turn[0], p[0]), add(scaled(turn[1], p[1]), scaled(turn[2], p[2]))));
};
const seen = (which, points) => which ? points.map(fromB) : points;

function drawShapes() {
  shapes.begin();
  shapes.over = [];
  for (const which of [0, 1]) {
    const { v, f, round } = data.shapes[which];
    const corners = seen(which, v);
    for (const face of f) shapes.polygon(face.map((i) => corners[i]), colour('ab'[which]), 0.45, !round);
    for (const points of step().on[which]) feature(seen(which, points));
  }
  const [p, q] = frame().witness;
  shapes.line([p, q], colour('ink'), 1.5, [4, 3]);
  shapes.point(p, colour('a'), 4);
  shapes.point(q, colour('b'), 4);
  shapes.end();
}

function feature(points) {
  const hot = colour('hot');
  if (points.length === 1) shapes.point(points[0], hot, 5);
  else if (points.length === 2) shapes.line(points, hot, 4);
  else if (points.length) shapes.line([...points, points[0]], hot, 3);
}

function drawDifference() {
  space.begin();
  space.over = [];
  const { difference } = frame();
  const { simplex, faces, bright, support, nearest } = step();
  const [stone, hot, ink] = [colour('quiet'), colour('hot'), colour('ink')];
  if (difference) {
    for (const face of difference.f) space.polygon(face.map((i) => difference.v[i]), stone, faces ? 0.05 : 0.14, true);
  }
  for (const face of faces || []) space.polygon(face, colour('b'), 0.35, true);
  if (bright) space.polygon(bright, hot, 0.6, true);
  if (simplex) {
    if (simplex.length > 2) for (let skip = 0; skip < (simplex.length > 3 ? 4 : 1); skip++) {
      space.polygon(simplex.length > 3 ? simplex.filter((_, i) => i !== skip) : simplex, hot, 0.35, true);
    }
    for (const p of simplex) for (const q of simplex) space.line([p, q], hot, 2);
    simplex.forEach((p) => space.point(p, hot, 4));
  }
  if (nearest) {
    space.line([[0, 0, 0], nearest], ink, 1.5, [4, 3]);
    space.point(nearest, ink, 3);
  }
  if (support) space.point(support, colour('a'), 5, 'support');
  space.point([0, 0, 0], ink, 5, 'origin');
  space.end();
}

function draw() {
  drawShapes();
  drawDifference();
}

function show() {
  const { steps, distance, lower, upper, features, rung, flipped } = frame();
  now.step = Math.max(0, Math.min(now.step, steps.length - 1));
  at('step').max = Math.max(0, steps.length - 1);
  at('step').value = now.step;
  at('frame-number').textContent = now.frame;
  const what = distance < 0 ? 'overlap' : 'distance';
  at('answer').textContent = `${what} ${short(Math.abs(distance))} m, certified to ${short(upper - lower)} m; `
    + `${features[0]} of a, ${features[1]} of b; found by ${rung}`;
  at('text').textContent = `${now.step + 1} of ${steps.length}: ${step().text}`;
  at('caption').textContent = `The Minkowski difference ${flipped ? 'a - b' : 'b - a'} and the origin; drag to turn, wheel to zoom`;
  [...at('steps').children].forEach((item, index) => {
    if (index === now.step) {
      item.setAttribute('aria-current', 'step');
      item.scrollIntoView({ block: 'nearest' });
    } else item.removeAttribute('aria-current');
  });
  redraw();
}

function chooseFrame(index) {
  now.frame = index;
  now.step = frame().steps.length - 1;
  at('steps').replaceChildren(...frame().steps.map(({ text }, number) => {
    const item = document.createElement('li');
    item.textContent = text;
    item.addEventListener('click', () => choose(number));
    return item;
  }));
  show();
}

function choose(number) {
  now.step = number;
  show();
}

function fit() {
  const corners = [0, 1].flatMap((which) => seen(which, data.shapes[which].v));
  shapes.fit(corners);
  const { difference, steps } = frame();
  const points = difference ? difference.v : steps.flatMap(({ simplex, support }) => [...simplex || [], ...support ? [support] : []]);
  space.fit([[0, 0, 0], ...points]);
}

at('about').textContent = data.about;
at('name-a').textContent = `a: ${data.names[0]}`;
at('name-b').textContent = `b: ${data.names[1]}`;
at('frames').hidden = data.frames.length < 2;
at('frame').max = data.frames.length - 1;
at('frame').addEventListener('input', () => chooseFrame(+at('frame').value));
at('step').addEventListener('input', () => choose(+at('step').value));
at('back').addEventListener('click', () => choose(now.step - 1));
at('next').addEventListener('click', () => choose(now.step + 1));
addEventListener('keydown', (event) => {
  if (event.target.tagName === 'INPUT') return;
  if (event.key === 'ArrowLeft') choose(now.step - 1);
  if (event.key === 'ArrowRight') choose(now.step + 1);
});
addEventListener('resize', redraw);
chooseFrame(0);
fit();
redraw();
// For those who drive the page.
window.drystone = { now, choose, chooseFrame, steps: () => frame().steps.length, data };

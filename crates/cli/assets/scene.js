// From the states on the tape to instances on the card.
const PALETTE = [
  [0.72, 0.65, 0.54], [0.60, 0.62, 0.63], [0.78, 0.71, 0.58], [0.55, 0.60, 0.57], [0.68, 0.58, 0.50],
  [0.64, 0.68, 0.70], [0.74, 0.68, 0.63], [0.58, 0.56, 0.52],
];
const FIXED = [0.70, 0.72, 0.73];
const PLAIN = [0.80, 0.80, 0.79];

// A colour for a number, far from the colours of its neighbours.
function hue(number) {
  const turn = (number * 0.61803398875 + 0.1) % 1;
  const part = (shift) => 0.42 + 0.42 * (0.5 + 0.5 * Math.cos(2 * Math.PI * (turn + shift)));
  return [part(0), part(1 / 3), part(2 / 3)];
}

// Blue over green to yellow, for 0 to 1.
function ramp(x) {
  const stops = [[0.26, 0.17, 0.45], [0.19, 0.41, 0.56], [0.21, 0.63, 0.47], [0.60, 0.79, 0.25], [0.98, 0.88, 0.20]];
  const at = Math.min(Math.max(x, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(at), stops.length - 2);
  return stops[i].map((from, k) => from + (stops[i + 1][k] - from) * (at - i));
}

function packed(colour, alpha = 1) {
  const byte = (x) => Math.round(Math.min(Math.max(x, 0), 1) * 255);
  return (byte(colour[0]) | byte(colour[1]) << 8 | byte(colour[2]) << 16 | byte(alpha) << 24) >>> 0;
}

class SceneView {
  constructor(tape, renderer) {
    this.tape = tape;
    this.renderer = renderer;
    this.version = -1;
    this.places = [];
    this.planes = [];
  }

  // Makes meshes for what the tape describes; again when it describes more.
  prepare() {
    const { tape, renderer } = this;
    if (this.version === tape.version) return;
    this.version = tape.version;
    renderer.clearMeshes();
    const fineness = tape.bodies.length > 2000 ? 8 : 20;
    const box = renderer.addMesh(boxMesh());
    const ball = renderer.addMesh(ballMesh(fineness));
    const hulls = tape.hulls.map((hull) => renderer.addMesh(hullMesh(hull)));
    this.parts = [];
    this.planesOf = [];
    tape.bodies.forEach((body, number) => {
      for (const shape of body.s) {
        const part = { number, at: shape.p, turn: shape.q, half: [1, 1, 1], size: [1, 1, 1, 0], middle: [0, 0, 0] };
        if (shape.k === 'plane') {
          this.planesOf.push({ number, at: shape.p, turn: shape.q, normal: shape.n });
          continue;
        } else if (shape.k === 'box') {
          Object.assign(part, { batch: box, size: [...shape.d, 0], half: shape.d });
        } else if (shape.k === 'hull') {
          Object.assign(part, { batch: hulls[shape.m] }, boundsOf(tape.hulls[shape.m].v));
        } else {
          const { r, h = 0 } = shape;
          Object.assign(part, { batch: ball, size: [r, r, r, h], half: [r, r + h, r] });
        }
        this.parts.push(part);
      }
    });
    this.places = tape.bodies.map(() => [0, 0, 0]);
    this.turns = tape.bodies.map(() => [0, 0, 0, 1]);
    this.radii = tape.bodies.map(() => 0);
    this.largest = 0;
    for (const part of this.parts) {
      const reach = norm(part.half) + norm(part.middle) + (part.at ? norm(part.at) : 0);
      this.radii[part.number] = Math.max(this.radii[part.number], reach);
      if (tape.bodies[part.number].k === 2) this.largest = Math.max(this.largest, this.radii[part.number]);
    }
  }

  // Poses between the last two frames shown: `share` 0 is the earlier, 1 the later.
  pose(share) {
    const { tape: { before, after, start, bodies, scene }, places, turns } = this;
    for (let i = 0; i < bodies.length; i++) {
      const place = places[i], turn = turns[i];
      const exact = bodies[i].x && isSame(after, start, i);
      if (exact) {
        for (let k = 0; k < 3; k++) place[k] = bodies[i].x[k];
        for (let k = 0; k < 4; k++) turn[k] = bodies[i].r[k];
        continue;
      }
      const still = (before.flags[i] & PRESENT) === 0 ? 1 : share;
      for (let k = 3 * i, n = 0; n < 3; k++, n++) {
        place[n] = (before.position[k] + (after.position[k] - before.position[k]) * still) * scene.step;
      }
      let sum = 0, side = 0;
      for (let k = 4 * i; k < 4 * i + 4; k++) side += before.rotation[k] * after.rotation[k];
      for (let k = 4 * i, n = 0; n < 4; k++, n++) {
        const from = side < 0 ? -before.rotation[k] : before.rotation[k];
        turn[n] = from + (after.rotation[k] - from) * still;
        sum += turn[n] * turn[n];
      }
      const inverse = 1 / Math.sqrt(sum || 1);
      for (let n = 0; n < 4; n++) turn[n] *= inverse;
    }
  }

  colour(number, options) {
    const { tape: { after, bodies } } = this;
    const body = bodies[number];
    let colour = body.k === 0 ? FIXED : PALETTE[(number * 5 + (number >> 3)) % PALETTE.length];
    if (body.k === 1) colour = [0.55, 0.62, 0.78];
    if (options.colour === 'solver') colour = body.k === 0 ? FIXED : PLAIN;
    if (body.k !== 0 && options.colour === 'island') {
      colour = after.island[number] === 0 ? PLAIN : hue(after.island[number]);
    }
    if (body.k !== 0 && options.colour === 'speed') {
      colour = ramp(Math.log10(1 + after.speed[number] * 10) / 2.3);
    }
    const asleep = (after.flags[number] & AWAKE) === 0;
    return asleep && options.sleep ? colour.map((x) => x * 0.55) : colour;
  }

  // Fills the batches for the state `share` of the way between the last two frames.
  fill(share, options) {
    const { tape, renderer, places, turns } = this;
    this.pose(share);
    for (const batch of renderer.meshes) batch.count = 0;
    let last = -1, colour = 0;
    // The shader fades edges by the body's size, which it gets as the colour's fourth part.
    const { after } = tape;
    for (const part of this.parts) {
      const { number, batch, size } = part;
      if ((after.flags[number] & PRESENT) === 0) continue;
      if (number !== last) {
        const edge = Math.min(Math.max(Math.sqrt(this.radii[number] / (4 * options.size)), 0.02), 1);
        colour = packed(this.colour(number, options), edge);
        last = number;
      }
      const turn = part.turn ? turnProduct(turns[number], part.turn) : turns[number];
      const place = part.at ? add(places[number], rotate(turns[number], part.at)) : places[number];
      const at = batch.next();
      const f = batch.floats;
      f[at] = place[0]; f[at + 1] = place[1]; f[at + 2] = place[2];
      f[at + 3] = turn[0]; f[at + 4] = turn[1]; f[at + 5] = turn[2]; f[at + 6] = turn[3];
      f[at + 7] = size[0]; f[at + 8] = size[1]; f[at + 9] = size[2]; f[at + 10] = size[3];
      batch.words[at + 11] = colour;
      // Half a number more says that this is a wall, which may be cut open.
      f[at + 12] = tape.bodies[number].k === 0 && norm(part.half) > 0.5 * options.size ? number + 0.5 : number;
    }
    this.planes = this.planesOf.map(({ number, at, turn, normal }) => ({
      point: at ? add(places[number], rotate(turns[number], at)) : places[number],
      normal: rotate(turns[number], turn ? rotate(turn, normal) : normal),
    }));
  }

  // A box around what moves in a few frames of the recording, unless something flies off.
  reach() {
    const { tape } = this;
    const shown = Math.max(tape.shown, 0);
    const first = this.bounds();
    let [low, high] = [first.low, first.high];
    const last = tape.frames.length - 1;
    for (const index of [last >> 2, last >> 1, last]) {
      tape.show(index);
      this.pose(1);
      const later = this.bounds();
      if (norm(sub(later.middle, first.middle)) + later.radius > 3 * first.radius) continue;
      low = low.map((x, k) => Math.min(x, later.low[k]));
      high = high.map((x, k) => Math.max(x, later.high[k]));
    }
    tape.show(shown);
    this.pose(1);
    return { low, high };
  }

  // A ball and a box around what moves, or around everything when nothing does.
  bounds() {
    const { tape, places, radii } = this;
    let low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const moves = tape.bodies.some((body) => body.k === 2);
    tape.bodies.forEach((body, i) => {
      if ((moves && body.k === 0) || radii[i] === 0 || !(tape.after.flags[i] & PRESENT)) return;
      low = low.map((x, k) => Math.min(x, places[i][k] - radii[i]));
      high = high.map((x, k) => Math.max(x, places[i][k] + radii[i]));
    });
    if (!(low[0] <= high[0])) [low, high] = [[-3, -3, -3], [3, 3, 3]];
    return { low, high, middle: scaled(add(low, high), 0.5), radius: norm(sub(high, low)) / 2 };
  }
}

function isSame(after, start, i) {
  for (let k = 3 * i; k < 3 * i + 3; k++) if (after.position[k] !== start.position[k]) return false;
  for (let k = 4 * i; k < 4 * i + 4; k++) if (after.rotation[k] !== start.rotation[k]) return false;
  return true;
}

// Middle and half edges of the box around points given as one list of numbers.
function boundsOf(numbers) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  numbers.forEach((x, i) => {
    low[i % 3] = Math.min(low[i % 3], x);
    high[i % 3] = Math.max(high[i % 3], x);
  });
  return { middle: scaled(add(low, high), 0.5), half: scaled(sub(high, low), 0.5) };
}
